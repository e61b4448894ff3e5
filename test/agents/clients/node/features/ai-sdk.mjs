import { z } from 'zod'
import { refused, serve } from '../serve.mjs'

/** In the version that the caller names: `ai-5` with providers as `ai-5-openai`. */
const [name, providers] = process.argv[2] === 'ai' ? ['ai', '@ai-sdk/'] : [process.argv[2], `${process.argv[2]}-`]
const { createAnthropic } = await import(`${providers}anthropic`)
const { createOpenAI } = await import(`${providers}openai`)
const { createOpenAICompatible } = await import(`${providers}openai-compatible`)
const { generateObject, generateText, streamObject, streamText } = await import(name)

const PNG = process.argv[3]
const town = z.object({ city: z.string(), population: z.number() })

const models = {
  compatible: ({ baseURL, key, model }) =>
    createOpenAICompatible({ name: 'gateway', baseURL, apiKey: key, supportsStructuredOutputs: true })(model),
  'openai.chat': ({ baseURL, key, model }) => createOpenAI({ baseURL, apiKey: key }).chat(model),
  openai: ({ baseURL, key, model }) => createOpenAI({ baseURL, apiKey: key })(model),
  anthropic: ({ baseURL, key, model }) => createAnthropic({ baseURL, apiKey: key })(model),
}

/** Options that make a model think, by provider. */
const thinking = {
  compatible: { gateway: { reasoningEffort: 'low' } },
  openai: { openai: { store: false, reasoningEffort: 'low', reasoningSummary: 'auto' } },
  anthropic: { anthropic: { thinking: { type: 'enabled', budgetTokens: 1024 } } },
}

/** The library recognises a thinking model by its name. */
const thinker = ({ way, ...task }) => models[way]({ ...task, model: 'gpt-5' })

const form = ask => async task => {
  const model = models[task.way](task)
  return { value: await ask({ model, prompt: task.prompt, maxRetries: 0 }, task) }
}

await serve({
  'gives an object': form(async request => (await generateObject({ ...request, schema: town })).object),
  'gives an object of a stream': form(async request => {
    const result = streamObject({ ...request, schema: town })
    for await (const _ of result.partialObjectStream);
    return await result.object
  }),
  'shows its thoughts': form(
    async (request, task) =>
      (await generateText({ ...request, model: thinker(task), providerOptions: thinking[task.way] })).reasoningText,
  ),
  'shows the thoughts of a stream': form(async (request, task) => {
    const result = streamText({ ...request, model: thinker(task), providerOptions: thinking[task.way] })
    for await (const _ of result.fullStream);
    return await result.reasoningText
  }),
  'shows an image': form(async ({ prompt, ...request }) => {
    const content = [
      { type: 'text', text: prompt },
      { type: 'image', image: Buffer.from(PNG, 'base64'), mediaType: 'image/png' },
    ]
    return (await generateText({ ...request, messages: [{ role: 'user', content }] })).text
  }),
  'shows what is wrong': form((request, task) =>
    refused(generateText({ ...request, model: models[task.way]({ ...task, model: 'no-such-model' }) })),
  ),
})
