import { descriptions, schemas, serve } from './serve.mjs'

/** In the version that the caller names: `ai-5` with providers as `ai-5-openai`. */
const [name, providers] = process.argv[2] ? [process.argv[2], `${process.argv[2]}-`] : ['ai', '@ai-sdk/']
const { createAnthropic } = await import(`${providers}anthropic`)
const { createOpenAI } = await import(`${providers}openai`)
const { createOpenAICompatible } = await import(`${providers}openai-compatible`)
const { generateText, jsonSchema, stepCountIs, streamText, tool } = await import(name)

/** The loop of the library itself, with the model of one provider. */
const loop = modelOf => async (task, tools) => {
  const { stream, prompt } = task
  const { model, providerOptions, countsCachedApart } = modelOf(task)
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
  const input = usage.inputTokens + (countsCachedApart ? usage.cachedInputTokens : 0)
  return { text: await result.text, usage: { input, output: usage.outputTokens } }
}

await serve({
  compatible: loop(({ baseURL, key, model }) => ({
    model: createOpenAICompatible({ name: 'gateway', baseURL, apiKey: key, includeUsage: true })(model),
  })),
  'openai.chat': loop(({ baseURL, key, model }) => ({ model: createOpenAI({ baseURL, apiKey: key }).chat(model) })),
  'openai, kept': loop(({ baseURL, key, model }) => ({ model: createOpenAI({ baseURL, apiKey: key })(model) })),
  // Without an item store, second turns are sent whole only so.
  openai: loop(({ baseURL, key, model }) => ({
    model: createOpenAI({ baseURL, apiKey: key })(model),
    providerOptions: { openai: { store: false, include: ['reasoning.encrypted_content'] } },
  })),
  anthropic: loop(({ baseURL, key, model }) => ({
    model: createAnthropic({ baseURL, apiKey: key })(model),
    countsCachedApart: name === 'ai-5',
  })),
})
