import { randomBytes, randomUUID } from 'node:crypto'
import { type Backend, type Behaviour, json, startBackend, stream } from '../../support/backend.ts'
import { ENV, startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { BOTH } from '../dialects/fixture.ts'
import { says } from '../tools/fixture.ts'

/** More than a connection takes at once, and so little that reading it takes a moment. */
const LARGE_TEXT = 'word '.repeat(60_000)

/** A gateway that answers in each way there is: models of every kind, a backend of every dialect, a pass-through route and a tool. */
export class Answering {
  readonly backend: Backend
  readonly test: TestGateway

  private constructor(backend: Backend, test: TestGateway) {
    this.backend = backend
    this.test = test
  }

  /** `keeps`: whether it keeps responses. */
  static async start(limits = '', keeps = false): Promise<Answering> {
    const backend = await startBackend()
    const test = await startTestGateway({
      onprem: [backend],
      fields: { pro: 'tools: all' },
      yaml: `include: [answering.yaml]\nlimits: { shed_load: false${limits} }\n${keeps ? KEEPING : ''}`,
      env: { ...ENV, RESPONSES_KEY: randomBytes(32).toString('base64') },
      files: { 'answering.yaml': more(backend.url) },
    })
    return new Answering(backend, test)
  }

  /** A key of an account of its own. */
  key(): Promise<string> {
    return this.test.key('pro', `ada-${randomUUID()}`)
  }

  async close(): Promise<void> {
    await this.test.close()
    await this.backend.close()
  }
}

const KEEPING = `responses: { keep: 1h, key: "\${RESPONSES_KEY}" }`

const more = (url: string): string => `
models:
  svc-native: { kind: chat, tier: guest, serve: [native], context: 64k, usd_per_1m: { input: 1, output: 10 } }
  svc-held: { kind: chat, tier: guest, serve: [onprem], context: 64k, commit: complete, usd_per_1m: { input: 1, output: 10 } }
  svc-rank: { kind: passthrough, tier: guest, serve: [onprem], usd_per_1m: { input: 2, output: 10 } }
pools:
  native: { site: cloud, model: native-model, speaks: [responses, messages], replicas: ["${url}"] }
passthrough:
  - { path: /v1/rerank, methods: [POST], model: svc-rank, meter: { usage: { max_input: 2k, max_output: 100 } } }
hosted_tools:
  calculator: { builtin: calculator }
`

/** A way to be answered: what is asked, and what its backend says. */
export interface Answered {
  readonly path: string
  readonly body: object
  readonly behaviours: readonly Behaviour[]
}

const messages = [{ role: 'user', content: 'Hi' }]
const chat = (rest: object = {}) => ({ model: 'svc-core', max_tokens: 100, messages, ...rest })
const [messagesApi, responsesApi] = BOTH
const usage = { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 }

const likely = (tokens: number) => ({
  content: Array.from({ length: tokens }, (_, n) => ({
    token: `t${n}`,
    logprob: -0.5,
    bytes: [116],
    top_logprobs: Array.from({ length: 20 }, (_, i) => ({ token: `t${i}`, logprob: -i / 7, bytes: [116, i] })),
  })),
})

const likelyChoices = (choices: number, tokens: number) =>
  json({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'test-model',
    choices: Array.from({ length: choices }, (_, index) => ({
      index,
      message: { role: 'assistant', content: 'Hi' },
      logprobs: likely(tokens),
      finish_reason: 'stop',
    })),
    usage,
  })

const vectors = json({
  object: 'list',
  data: Array.from({ length: 50 }, (_, index) => ({
    object: 'embedding',
    index,
    embedding: Array.from({ length: 768 }, (_, i) => Math.sin(i + index)),
  })),
  model: 'bge',
  usage: { prompt_tokens: 50, total_tokens: 50 },
})

const PNG = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(100_000)]).toString('base64')

/** Every way to be answered whole by a backend. A path, then what differs of it. */
export const WHOLE_ANSWERS: Readonly<Record<string, Answered>> = {
  '/v1/chat/completions': { path: '/v1/chat/completions', body: chat(), behaviours: [says({ content: LARGE_TEXT })] },
  '/v1/chat/completions with four alternatives and their likelihoods': {
    path: '/v1/chat/completions',
    body: chat({ n: 4, logprobs: true, top_logprobs: 20 }),
    behaviours: [likelyChoices(4, 200)],
  },
  '/v1/chat/completions with hosted tools': {
    path: '/v1/chat/completions',
    body: chat({ tools: [{ type: 'hosted', name: 'calculator' }] }),
    behaviours: [
      says({
        content: LARGE_TEXT,
        calls: [{ id: 'call_1', name: 'calculator', arguments: '{"expression":"1+1"}' }],
      }),
      says({ content: LARGE_TEXT }),
    ],
  },
  '/v1/chat/completions with hosted tools and likelihoods': {
    path: '/v1/chat/completions',
    body: chat({ tools: [{ type: 'hosted', name: 'calculator' }], logprobs: true, top_logprobs: 20 }),
    behaviours: [likelyChoices(1, 500)],
  },
  '/v1/embeddings': {
    path: '/v1/embeddings',
    body: { model: 'svc-embed', input: Array(50).fill('a') },
    behaviours: [vectors],
  },
  '/v1/images/generations': {
    path: '/v1/images/generations',
    body: { model: 'svc-image', prompt: 'a cat', n: 4 },
    behaviours: [json({ created: 1, data: Array(4).fill({ b64_json: PNG }) })],
  },
  '/v1/responses, translated': {
    path: '/v1/responses',
    body: responsesApi.body('svc-core'),
    behaviours: [says({ content: LARGE_TEXT })],
  },
  '/v1/responses with likelihoods, translated': {
    path: '/v1/responses',
    body: { ...responsesApi.body('svc-core'), top_logprobs: 20 },
    behaviours: [likelyChoices(1, 500)],
  },
  '/v1/messages, translated': {
    path: '/v1/messages',
    body: messagesApi.body('svc-core'),
    behaviours: [says({ content: LARGE_TEXT })],
  },
  '/v1/responses, as its backend answers': {
    path: '/v1/responses',
    body: responsesApi.body('svc-native'),
    behaviours: [json({ ...responsesApi.whole, padding: LARGE_TEXT })],
  },
  '/v1/messages, as its backend answers': {
    path: '/v1/messages',
    body: messagesApi.body('svc-native'),
    behaviours: [json({ ...messagesApi.whole, padding: LARGE_TEXT })],
  },
  '/v1/chat/completions, translated for its backend': {
    path: '/v1/chat/completions',
    body: chat({ model: 'svc-native' }),
    behaviours: [json({ ...messagesApi.whole, content: [{ type: 'text', text: LARGE_TEXT }] })],
  },
  'a pass-through route that is paid by its usage': {
    path: '/v1/rerank',
    body: { query: 'a', documents: ['b'] },
    behaviours: [json({ results: [], padding: LARGE_TEXT, usage: { prompt_tokens: 9, total_tokens: 9 } })],
  },
}

/** A long answer that is kept, whole or as a stream. */
export const keptAnswer = (isStream: boolean): Answered => ({
  path: '/v1/responses',
  body: { ...responsesApi.body('svc-core'), store: true, stream: isStream, max_output_tokens: 30_000 },
  behaviours: [isStream ? longStream(300_000) : says({ content: LARGE_TEXT })],
})

/** A stream of so many bytes, a token for each thousand. */
export const longStream = (bytes: number): Behaviour =>
  stream({ chunks: Array.from({ length: Math.ceil(bytes / 1000) }, () => '-'.repeat(1000)), usage })
