import { randomUUID } from 'node:crypto'
import { namedEvent } from '../../../src/wire/sse.ts'
import { type Backend, type Behaviour, json, sse, startBackend } from '../../support/backend.ts'
import { startTestGateway, type TestGateway, type TestPools } from '../../support/gateway.ts'

/**
 * A gateway with `svc-core` at a backend that speaks chats, `svc-native` at one that speaks Responses and Messages, and
 * `svc-both`, which fails over from the second to the first. `svc-search` is at the second one too, whose searches it allows.
 * `svc-beta` is there with beta features of Messages, and
 * `svc-seeing` as at a provider, which drops what it does not know and fetches pictures.
 */
export class Dialects {
  readonly chats: Backend
  readonly native: Backend
  readonly test: TestGateway
  readonly key: string

  private constructor(chats: Backend, native: Backend, test: TestGateway, key: string) {
    this.chats = chats
    this.native = native
    this.test = test
    this.key = key
  }

  static async start(yaml = '', pools: Partial<TestPools> = {}): Promise<Dialects> {
    const [chats, native] = await Promise.all([startBackend(), startBackend()])
    const test = await startTestGateway({
      onprem: [chats],
      yaml: `include: [dialects.yaml]\n${yaml}`,
      files: { 'dialects.yaml': more(native.url) },
      ...pools,
    })
    // Gateways that share a store have accounts of their own.
    return new Dialects(chats, native, test, await test.key('pro', `ada-${randomUUID()}`))
  }

  async close(): Promise<void> {
    await this.test.close()
    await Promise.all([this.chats.close(), this.native.close()])
  }

  /** Posts to a path below /v1. */
  ask(
    path: 'chat/completions' | 'responses' | 'messages' | 'messages/count_tokens',
    body: object | string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    return fetch(`${this.test.url}/v1/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.key}`, 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  }

  /** Tokens and cost in the only row of the ledger, which is there once the answer has ended. */
  async bill(): Promise<{ readonly tokens: readonly [number, number]; readonly cost: number; readonly pool: string }> {
    const [row, ...rest] = await this.test.ledger()
    if (!row || rest.length > 0) throw new Error(`the ledger has ${rest.length + (row ? 1 : 0)} rows`)
    const { inputTokens, outputTokens, cost, pool } = row
    return { tokens: [inputTokens, outputTokens], cost, pool }
  }
}

const more = (url: string): string => `
models:
  svc-native:
    { kind: chat, tier: guest, serve: [native], context: 64k, usd_per_1m: { input: 1, output: 10 } }
  svc-both:
    { kind: chat, tier: guest, serve: [native, onprem], context: 64k, usd_per_1m: { input: 1, output: 10 } }
  svc-seeing:
    { kind: chat, tier: guest, serve: [provider], context: 64k, vision: true, usd_per_1m: { input: 1, output: 10 } }
  svc-engine-first:
    { kind: chat, tier: guest, serve: [native, provider], context: 64k, vision: true, usd_per_1m: { input: 1, output: 10 } }
  svc-beta:
    { kind: chat, tier: guest, serve: [beta], context: 64k, usd_per_1m: { input: 1, output: 10 } }
  svc-search:
    { kind: chat, tier: guest, serve: [search], context: 64k, usd_per_1m: { input: 1, output: 10 } }
pools:
  native: { site: cloud, model: native-model, speaks: [responses, messages], betas: [allowed-2026-01-01], replicas: ["${url}"] }
  provider: { site: cloud, model: native-model, speaks: [responses, messages], unknown_fields: drop, passes: [top_k, input.content.note], fetches: true, replicas: ["${url}"] }
  beta: { site: cloud, model: native-model, speaks: [messages], betas: [context-management-*, structured-outputs-2026-01-01], replicas: ["${url}"] }
  search: { site: cloud, model: native-model, speaks: [responses, messages], provider_tools: [web_search], replicas: ["${url}"] }
`

/** The events of a stream: name, and data as it is parsed. */
export async function eventsIn(response: Response): Promise<[string, Record<string, unknown>][]> {
  const text = await response.text()
  return text.split('\n\n').flatMap(event => {
    const [, name = '', data = ''] = /^event: (.*)\ndata: (.*)$/s.exec(event) ?? []
    return name === '' ? [] : [[name, JSON.parse(data) as Record<string, unknown>]]
  })
}

/** A backend's stream of named events. */
export const named = (events: readonly { readonly type: string }[]): Behaviour => sse(textOf(events))

export const textOf = (events: readonly { readonly type: string }[]): string =>
  events.map(event => namedEvent(event.type, JSON.stringify(event))).join('')

/** A message as Anthropic's API answers it. */
const MESSAGE = {
  id: 'msg_native',
  type: 'message',
  role: 'assistant',
  model: 'native-model',
  content: [{ type: 'text', text: 'hi there' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 7, cache_creation_input_tokens: 0, cache_read_input_tokens: 3, output_tokens: 4 },
}

/** The answer as a stream. */
const MESSAGE_EVENTS = [
  { type: 'message_start', message: { ...MESSAGE, content: [], stop_reason: null, usage: MESSAGE.usage } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'hi there' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 4 } },
  { type: 'message_stop' },
]

/** A response as OpenAI's API answers it. */
const RESPONSE = {
  id: 'resp_native',
  object: 'response',
  created_at: 1_700_000_000,
  status: 'completed',
  model: 'native-model',
  output: [
    {
      id: 'msg_native',
      type: 'message',
      status: 'completed',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'hi there', annotations: [], logprobs: [] }],
    },
  ],
  usage: {
    input_tokens: 10,
    input_tokens_details: { cached_tokens: 3 },
    output_tokens: 4,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 14,
  },
}

/** The answer as a stream. */
const RESPONSE_EVENTS = [
  { type: 'response.created', sequence_number: 0, response: { ...RESPONSE, status: 'in_progress', output: [] } },
  {
    type: 'response.output_text.delta',
    sequence_number: 1,
    item_id: 'msg_native',
    output_index: 0,
    content_index: 0,
    delta: 'hi there',
    logprobs: [],
  },
  { type: 'response.completed', sequence_number: 2, response: RESPONSE },
]

/** Both dialects: a request, and how a backend of the dialect answers it. */
export const BOTH = [
  {
    path: 'messages',
    cap: 'max_tokens',
    body: (model: string) => ({ model, max_tokens: 100, messages: [{ role: 'user', content: 'Say hi' }] }),
    whole: MESSAGE,
    answer: json(MESSAGE),
    events: MESSAGE_EVENTS,
    textIn: ({ content }: { readonly content: readonly { readonly text?: string }[] }) => content[0]?.text,
    deltas: 'content_block_delta',
    failed: 'error',
  },
  {
    path: 'responses',
    cap: 'max_output_tokens',
    body: (model: string) => ({ model, max_output_tokens: 100, input: 'Say hi' }),
    whole: RESPONSE,
    answer: json(RESPONSE),
    events: RESPONSE_EVENTS,
    textIn: ({ output }: { readonly output: readonly { readonly content?: readonly { readonly text: string }[] }[] }) =>
      output[0]?.content?.[0]?.text,
    deltas: 'response.output_text.delta',
    failed: 'response.failed',
  },
] as const
