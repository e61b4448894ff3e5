import Anthropic from '@anthropic-ai/sdk'
import { zodOutputFormat } from '@anthropic-ai/sdk/helpers/zod'
import { z } from 'zod'
import { refused, serve } from '../serve.mjs'

const PNG = process.argv[2]
const town = z.object({ city: z.string(), population: z.number() })

const form = ask => async task => {
  const { baseURL, key, model, prompt } = task
  const client = new Anthropic({ baseURL: baseURL.replace(/\/v1$/, ''), apiKey: key, maxRetries: 0 })
  return { value: await ask(client, { model, max_tokens: 2000, messages: [{ role: 'user', content: prompt }] }) }
}

const refusal = (more, key) =>
  form(({ baseURL, apiKey }, request) =>
    refused(new Anthropic({ baseURL, apiKey: key ?? apiKey, maxRetries: 0 }).messages.create({ ...request, ...more })),
  )

const thinking = { type: 'enabled', budget_tokens: 1024 }

await serve({
  'parses an answer by a schema': form(
    async ({ messages }, request) =>
      (await messages.parse({ ...request, output_config: { format: zodOutputFormat(town) } })).parsed_output,
  ),
  'shows its thoughts': form(
    async ({ messages }, request) => (await messages.create({ ...request, thinking })).content,
  ),
  'shows the thoughts of a stream': form(
    async ({ messages }, request) => (await messages.stream({ ...request, thinking }).finalMessage()).content,
  ),
  'says at which text it stopped': form(async ({ messages }, request) => {
    const asked = [{ role: 'user', content: 'Say exactly: alpha beta gamma' }]
    const { content, stop_reason, stop_sequence } = await messages.create({
      ...request,
      messages: asked,
      stop_sequences: ['beta'],
    })
    return { text: content[0].text.trim(), stop_reason, stop_sequence }
  }),
  'says that it came to its cap': form(async ({ messages }, request) => {
    const asked = [{ role: 'user', content: 'Count to 40.' }]
    return (await messages.create({ ...request, messages: asked, max_tokens: 5 })).stop_reason
  }),
  'shows an image': form(async ({ messages }, request) => {
    const source = { type: 'base64', media_type: 'image/png', data: PNG }
    const content = [{ type: 'image', source }, ...request.messages]
    const asked = content.map(part => (part.role ? { type: 'text', text: part.content } : part))
    return (await messages.create({ ...request, messages: [{ role: 'user', content: asked }] })).content[0].text
  }),
  'counts tokens': form(async ({ messages }, { model, messages: asked }) => {
    const { input_tokens } = await messages.countTokens({ model, messages: asked })
    return input_tokens
  }),
  'lists models': form(async ({ models }, { model }) => {
    const { data } = await models.list()
    const { id, type, display_name } = await models.retrieve(model)
    return { isListed: data.some(one => one.id === model), id, type, display_name }
  }),
  'fails where a stream is cut': form(({ messages }, request) => refused(messages.stream(request).finalMessage())),
  'is told that a key is wrong': refusal({}, 'svc_wrong'),
  'is told that a model is not there': refusal({ model: 'no-such-model' }),
  'is told which field is wrong': refusal({ temperature: 'hot' }),
  'is told that an answer is not continued': refusal({
    messages: [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Hel' },
    ],
  }),
  'is told that nothing is fetched': refusal({
    messages: [
      { role: 'user', content: [{ type: 'image', source: { type: 'url', url: 'http://127.0.0.1:1/a.png' } }] },
    ],
  }),
  'is told that files are not kept': refusal({
    messages: [{ role: 'user', content: [{ type: 'document', source: { type: 'file', file_id: 'file_0' } }] }],
  }),
})
