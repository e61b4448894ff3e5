import Anthropic from '@anthropic-ai/sdk'
import { descriptions, schemas, serve } from './serve.mjs'

const clientOf = ({ baseURL, key }) => new Anthropic({ baseURL: baseURL.replace(/\/v1$/, ''), apiKey: key })

/** The loop as the documentation writes it. */
async function messages(task, tools) {
  const { model, stream, prompt } = task
  const client = clientOf(task)
  const usage = { input: 0, output: 0 }
  const turns = [{ role: 'user', content: prompt }]
  for (;;) {
    const request = {
      model,
      max_tokens: 2000,
      messages: turns,
      tools: Object.entries(schemas).map(([name, input_schema]) => ({
        name,
        description: descriptions[name],
        input_schema,
      })),
    }
    const answer = stream ? await client.messages.stream(request).finalMessage() : await client.messages.create(request)
    usage.input +=
      answer.usage.input_tokens + answer.usage.cache_read_input_tokens + answer.usage.cache_creation_input_tokens
    usage.output += answer.usage.output_tokens
    turns.push({ role: 'assistant', content: answer.content })
    const calls = answer.content.filter(({ type }) => type === 'tool_use')
    if (calls.length === 0) return { text: answer.content.map(({ text }) => text ?? '').join(''), usage }
    turns.push({
      role: 'user',
      content: calls.map(({ id, name, input }) => ({
        type: 'tool_result',
        tool_use_id: id,
        content: tools[name](input),
      })),
    })
  }
}

/** The loop of the library's helper. */
async function runner(task, tools) {
  const { model, stream, prompt } = task
  const loop = clientOf(task).beta.messages.toolRunner({
    model,
    stream,
    max_tokens: 2000,
    messages: [{ role: 'user', content: prompt }],
    tools: Object.entries(schemas).map(([name, input_schema]) => ({
      name,
      description: descriptions[name],
      input_schema,
      run: tools[name],
      parse: input => input,
    })),
  })
  let last
  for await (const turn of loop) last = stream ? await turn.finalMessage() : turn
  const { content } = last
  return { text: content.map(({ text }) => text ?? '').join('') }
}

await serve({ messages, runner })
