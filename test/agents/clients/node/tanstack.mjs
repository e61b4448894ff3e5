import { chat, toolDefinition } from '@tanstack/ai'
import { createOpenaiChat, createOpenaiChatCompletions } from '@tanstack/ai-openai'
import { descriptions, schemas, serve } from './serve.mjs'

/** The loop of the library itself. It always asks for streams. */
const loop = adapterOf => async (task, tools) => {
  const { baseURL, key, model, prompt } = task
  let text = ''
  const events = chat({
    adapter: adapterOf(model, key, { baseURL }),
    messages: [{ role: 'user', content: prompt }],
    modelOptions: task.form === 'responses' ? { store: false } : {},
    tools: Object.entries(schemas).map(([name, inputSchema]) =>
      toolDefinition({ name, description: descriptions[name], inputSchema }).server(tools[name]),
    ),
  })
  for await (const event of events) {
    if (event.type === 'RUN_ERROR') throw new Error(JSON.stringify(event))
    if (event.type === 'TEXT_MESSAGE_START') text = ''
    if (event.type === 'TEXT_MESSAGE_CONTENT') text += event.delta
  }
  return { text }
}

await serve({ chat: loop(createOpenaiChatCompletions), responses: loop(createOpenaiChat) })
