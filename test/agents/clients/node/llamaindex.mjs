import { tool } from '@llamaindex/core/tools'
import { OpenAI, OpenAIResponses } from '@llamaindex/openai'
import { descriptions, schemas, serve } from './serve.mjs'

/** The loop as the documentation writes it. */
const loop = Model => async (task, tools) => {
  const { baseURL, key, model, prompt } = task
  const llm = new Model({ model, apiKey: key, baseURL, store: false, maxRetries: 2 })
  const functions = Object.entries(schemas).map(([name, parameters]) =>
    tool({ name, description: descriptions[name], parameters, execute: tools[name] }),
  )
  const messages = [{ role: 'user', content: prompt }]
  for (;;) {
    const { message } = await llm.chat({ messages, tools: functions })
    messages.push(message)
    const calls = message.options?.toolCall ?? []
    if (calls.length === 0) return { text: message.content }
    for (const { id, name, input } of calls) {
      const result = tools[name](typeof input === 'string' ? JSON.parse(input) : input)
      messages.push({ role: 'user', content: result, options: { toolResult: { id, result, isError: false } } })
    }
  }
}

await serve({ chat: loop(OpenAI), responses: loop(OpenAIResponses) })
