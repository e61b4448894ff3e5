import { z } from 'zod'
import { refused, serve } from '../serve.mjs'

const version = process.argv[2] ?? 'openai'
const { default: OpenAI } = await import(version)
const { zodTextFormat } = await import(`${version}/helpers/zod`)

const PNG = `data:image/png;base64,${process.argv[3]}`
const format = zodTextFormat(z.object({ city: z.string(), population: z.number() }), 'town')

/** Each by Responses. */
const form = ask => async task => {
  const { baseURL, key, model, prompt } = task
  const client = new OpenAI({ baseURL, apiKey: key, maxRetries: 0 })
  return { value: await ask(client.responses, { model, input: prompt, store: false }) }
}

const refusal = more => form((responses, request) => refused(responses.create({ ...request, ...more })))

await serve({
  'returns a text': form(async (responses, request) => (await responses.create(request)).output_text),
  'returns a text that it collects': form(
    async (responses, request) => (await responses.stream(request).finalResponse()).output_text,
  ),
  'parses an answer by a schema': form(
    async (responses, request) => (await responses.parse({ ...request, text: { format } })).output_parsed,
  ),
  'parses a stream by a schema': form(
    async (responses, request) =>
      (await responses.stream({ ...request, text: { format } }).finalResponse()).output_parsed,
  ),
  'calls a custom tool, and takes its result': form(async (responses, request) => {
    const asked = { ...request, tools: [{ type: 'custom', name: 'note', description: 'Notes a text' }] }
    const first = await responses.create({ ...asked, tool_choice: { type: 'custom', name: 'note' } })
    const [call] = first.output
    const result = { type: 'custom_tool_call_output', call_id: call.call_id, output: 'noted' }
    const second = await responses.create({
      ...asked,
      tool_choice: 'none',
      input: [{ role: 'user', content: request.input }, call, result],
    })
    return { call, text: second.output_text }
  }),
  'tells thoughts in summaries': form(
    async (responses, request) =>
      (await responses.create({ ...request, reasoning: { effort: 'low', summary: 'auto' } })).output,
  ),
  'tells thoughts of a stream in summaries': form(
    async (responses, request) =>
      (await responses.stream({ ...request, reasoning: { effort: 'low', summary: 'auto' } }).finalResponse()).output,
  ),
  'has a refusal as a part': form(
    async (responses, request) => (await responses.create(request)).output.at(-1).content,
  ),
  'has a refusal of a stream as a part': form(
    async (responses, request) => (await responses.stream(request).finalResponse()).output.at(-1).content,
  ),
  'is incomplete at its cap': form(async (responses, request) => {
    const { status, incomplete_details } = await responses.create({
      ...request,
      input: 'Count to 40.',
      max_output_tokens: 16,
    })
    return { status, incomplete_details }
  }),
  'says that a stream failed': form(async (responses, request) => {
    const events = []
    for await (const event of await responses.create({ ...request, stream: true })) events.push(event)
    return events.at(-1)
  }),
  'has log probabilities': form(async (responses, request) => {
    const include = ['message.output_text.logprobs']
    return (await responses.create({ ...request, include, top_logprobs: 1 })).output[0].content[0].logprobs
  }),
  'shows an image': form(async (responses, request) => {
    const content = [
      { type: 'input_text', text: request.input },
      { type: 'input_image', image_url: PNG, detail: 'auto' },
    ]
    return (await responses.create({ ...request, input: [{ role: 'user', content }] })).output_text
  }),
  'is told that responses are not kept': refusal({ previous_response_id: 'resp_0' }),
  'is told that nothing runs in the background': refusal({ background: true }),
  'is told that conversations are not kept': refusal({ conversation: 'conv_0' }),
  'is told that files are not kept': refusal({
    input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'file_0' }] }],
  }),
  'is told that a model is not there': refusal({ model: 'no-such-model' }),
  'is told which field is wrong': refusal({ temperature: 'hot' }),
})
