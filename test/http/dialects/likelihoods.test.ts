import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { MAX_VALUES } from '../../../src/wire/fast/outline.ts'
import { type Behaviour, json, sse } from '../../support/backend.ts'
import { ENV } from '../../support/gateway.ts'
import { Dialects } from './fixture.ts'

const alternatives = (form: 'chat' | 'response') =>
  Array.from({ length: 4 }, (_, n) => ({ token: `é"${n}`, bytes: form === 'chat' ? null : [], logprob: -(n + 1) / 7 }))
/** So many that the JSON of an answer is not parsed with them. */
const TOKENS = 2000
const likely = (form: 'chat' | 'response') =>
  Array.from({ length: TOKENS }, (_, n) => ({
    ...{ token: `t${n}`, bytes: [116], logprob: -(n + 1) / 3 },
    top_logprobs: alternatives(form),
  }))
const IN_CHAT = likely('chat')
const IN_RESPONSE = likely('response')

const usage = { prompt_tokens: 9, completion_tokens: 500, total_tokens: 509 }
const chat = (choice: object = {}) => ({
  ...{ id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'test-model', usage },
  choices: [
    {
      ...{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' },
      ...{ logprobs: { content: IN_CHAT, refusal: null }, ...choice },
    },
  ],
})
const called = {
  message: {
    ...{ role: 'assistant', content: null },
    tool_calls: [
      { id: 'call_1', type: 'function', function: { name: 'calculator', arguments: '{"expression":"1+1"}' } },
    ],
  },
  finish_reason: 'tool_calls',
}
const { index: _index, ...unnumbered } = chat().choices[0] ?? {}
const chunk = (choices: object[], more: object = {}) =>
  `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'test-model', choices, ...more })}\n\n`
const streamed = sse(
  [
    ...IN_CHAT.map((token, n) =>
      chunk([{ index: 0, delta: { content: n === 0 ? 'Hi' : '.' }, logprobs: { content: [token], refusal: null } }]),
    ),
    chunk([{ index: 0, delta: {}, finish_reason: 'stop' }]),
    chunk([], { usage }),
    'data: [DONE]\n\n',
  ].join(''),
)
const native = {
  ...{ id: 'resp_native', object: 'response', created_at: 1, status: 'completed', model: 'native-model' },
  output: [
    {
      ...{ id: 'msg_1', type: 'message', status: 'completed', role: 'assistant' },
      content: [{ type: 'output_text', text: 'Hi', annotations: [], logprobs: IN_RESPONSE }],
    },
  ],
  usage: {
    ...{ input_tokens: 3, output_tokens: 500, total_tokens: 503 },
    ...{ input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 } },
  },
}

let site: Dialects
beforeAll(async () => {
  const yaml = `responses: { keep: 1h, key: "\${RESPONSES_KEY}" }
hosted_tools: { calculator: { builtin: calculator } }
limits: { shed_load: false }`
  site = await Dialects.start(yaml, {
    env: { ...ENV, RESPONSES_KEY: randomBytes(32).toString('base64') },
    fields: { pro: 'tools: all' },
  })
})
afterAll(() => site.close())

const messages = [{ role: 'user', content: 'Hi' }]
const asked = { model: 'svc-core', messages, max_tokens: 900, logprobs: true, top_logprobs: 4 }
const asking = { model: 'svc-core', input: 'Hi', max_output_tokens: 900, top_logprobs: 4 }

interface Told {
  readonly id: string
  readonly store?: boolean
  readonly choices?: readonly { readonly logprobs?: { readonly content?: unknown } }[]
  readonly output?: readonly { readonly content?: readonly { readonly logprobs?: unknown }[] }[]
}
const likelihoodsIn = ({ choices, output }: Told): unknown =>
  choices?.[0]?.logprobs?.content ?? output?.[0]?.content?.[0]?.logprobs

interface Surface {
  readonly path: 'chat/completions' | 'responses'
  readonly body: object
  readonly answers: readonly Behaviour[]
  readonly expected: unknown
}

const SURFACES: Readonly<Record<string, Surface>> = {
  'a chat': { path: 'chat/completions', body: asked, answers: [json(chat())], expected: IN_CHAT },
  'a chat whose choice has no index': {
    ...{ path: 'chat/completions', body: asked, expected: IN_CHAT },
    answers: [json({ ...chat(), choices: [unnumbered] })],
  },
  'the last round of a chat with hosted tools': {
    ...{ path: 'chat/completions', expected: IN_CHAT },
    body: { ...asked, tools: [{ type: 'hosted', name: 'calculator' }] },
    answers: [json(chat(called)), json(chat())],
  },
  'a chat that is fetched as a stream': {
    ...{ path: 'chat/completions', body: { ...asked, max_tokens: 4000 }, expected: IN_CHAT },
    answers: [streamed],
  },
  'a response of a backend of chats': {
    ...{ path: 'responses', body: asking, expected: IN_RESPONSE },
    answers: [json(chat())],
  },
  'a response that is kept': {
    ...{ path: 'responses', body: { ...asking, store: true }, expected: IN_RESPONSE },
    answers: [json(chat())],
  },
  'a response as its backend wrote it, that is kept': {
    ...{ path: 'responses', body: { ...asking, model: 'svc-native', store: true }, expected: IN_RESPONSE },
    answers: [json(native)],
  },
}

describe('the likelihoods of', () => {
  it.each(Object.entries(SURFACES))('%s reach the client without being parsed together', async (_, surface) => {
    const backend = isNative(surface) ? site.native : site.chats
    for (const behaviour of surface.answers) backend.next(behaviour)
    const parsed = parsedByTheGateway()

    const response = await site.ask(surface.path, surface.body)
    const text = await response.text()

    vi.restoreAllMocks()
    expect(response.status).toBe(200)
    expect(Math.max(...parsed)).toBeLessThan(text.length / 4)
    expect(likelihoodsIn(JSON.parse(text) as Told)).toEqual(surface.expected)
  })

  it('a kept response are those that its client got', async () => {
    site.chats.next(json(chat()))
    const made = (await (await site.ask('responses', { ...asking, store: true })).json()) as Told
    const read = await fetch(`${site.test.url}/v1/responses/${made.id}`, {
      headers: { authorization: `Bearer ${site.key}` },
    })

    expect(made.store).toBe(true)
    expect(likelihoodsIn((await read.json()) as Told)).toEqual(IN_RESPONSE)
  })

  it('a response of more values than a body may have keep it from being kept', async () => {
    const tokens = Array.from({ length: MAX_VALUES / 4 }, (_, n) => ({ token: `t${n}`, bytes: [], logprob: -1 }))
    site.chats.next(json(chat({ logprobs: { content: tokens, refusal: null } })))
    const made = (await (await site.ask('responses', { ...asking, store: true })).json()) as Told

    expect(made.store).toBe(false)
    expect(likelihoodsIn(made)).toHaveLength(tokens.length)
  })
})

/** How long the texts are that it parses. Answers of test gateways are held against openapi.yaml, which parses all of them. */
function parsedByTheGateway(): readonly number[] {
  const { parse } = JSON
  const lengths: number[] = []
  vi.spyOn(JSON, 'parse').mockImplementation(((text: string) => {
    if (!new Error().stack?.includes('openapi')) lengths.push(text.length)
    return parse(text)
  }) as typeof parse)
  return lengths
}

const isNative = ({ body }: Surface): boolean => 'model' in body && body.model === 'svc-native'
