import { ChatAnthropic } from '@langchain/anthropic'
import { concat } from '@langchain/core/utils/stream'
import { ChatOpenAI } from '@langchain/openai'
import { descriptions, schemas, serve } from './serve.mjs'

/** The loop as the documentation writes it. */
const loop =
  (modelOf, counts = () => true) =>
  async (task, tools) => {
    const { stream, prompt } = task
    const model = modelOf(task).bindTools(
      Object.entries(schemas).map(([name, schema]) => ({ name, description: descriptions[name], schema })),
    )
    const usage = { input: 0, output: 0 }
    const messages = [{ role: 'user', content: prompt }]
    for (;;) {
      const answer = stream ? await collected(model, messages) : await model.invoke(messages)
      usage.input += answer.usage_metadata.input_tokens
      usage.output += answer.usage_metadata.output_tokens
      messages.push(answer)
      if (!answer.tool_calls?.length) return { text: answer.text, ...(counts(task) && { usage }) }
      for (const { id, name, args } of answer.tool_calls)
        messages.push({ role: 'tool', tool_call_id: id, content: tools[name](args) })
    }
  }

async function collected(model, messages) {
  let whole
  for await (const chunk of await model.stream(messages)) whole = whole ? concat(whole, chunk) : chunk
  return whole
}

await serve({
  chat: loop(({ baseURL, key, model }) => new ChatOpenAI({ model, apiKey: key, configuration: { baseURL } })),
  responses: loop(
    ({ baseURL, key, model }) =>
      new ChatOpenAI({ model, apiKey: key, configuration: { baseURL }, useResponsesApi: true, zdrEnabled: true }),
  ),
  anthropic: loop(
    ({ baseURL, key, model }) =>
      new ChatAnthropic({ model, apiKey: key, anthropicApiUrl: baseURL.replace(/\/v1$/, ''), maxTokens: 2000 }),
    // In streams, it counts the estimate of message_start, and adds to it.
    ({ stream }) => !stream,
  ),
})
