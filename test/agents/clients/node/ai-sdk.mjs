import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText, jsonSchema, stepCountIs, streamText, tool } from 'ai'
import { descriptions, schemas, serve } from './serve.mjs'

/** The loop of the library itself, with the model of one provider. */
const loop = modelOf => async (task, tools) => {
  const { stream, prompt } = task
  const { model, providerOptions } = modelOf(task)
  const request = {
    model,
    prompt,
    stopWhen: stepCountIs(8),
    ...(providerOptions && { providerOptions }),
    tools: Object.fromEntries(
      Object.entries(schemas).map(([name, schema]) => [
        name,
        tool({ description: descriptions[name], inputSchema: jsonSchema(schema), execute: tools[name] }),
      ]),
    ),
  }
  const result = stream ? streamText({ ...request, onError: () => {} }) : await generateText(request)
  // Reads the stream to its end, and throws what it fails with.
  if (stream) for await (const part of result.fullStream) if (part.type === 'error') throw part.error
  const usage = await result.totalUsage
  return { text: await result.text, usage: { input: usage.inputTokens, output: usage.outputTokens } }
}

await serve({
  compatible: loop(({ baseURL, key, model }) => ({
    model: createOpenAICompatible({ name: 'gateway', baseURL, apiKey: key, includeUsage: true })(model),
  })),
  'openai.chat': loop(({ baseURL, key, model }) => ({ model: createOpenAI({ baseURL, apiKey: key }).chat(model) })),
  // Without an item store, second turns are sent whole only so.
  openai: loop(({ baseURL, key, model }) => ({
    model: createOpenAI({ baseURL, apiKey: key })(model),
    providerOptions: { openai: { store: false, include: ['reasoning.encrypted_content'] } },
  })),
  anthropic: loop(({ baseURL, key, model }) => ({ model: createAnthropic({ baseURL, apiKey: key })(model) })),
})
