import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Backend, refusal, startBackend, status, streamThenReset } from '../../support/backend.ts'
import { Door } from '../../support/door.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway.ts'

const PROMPT = 'the-prompt-that-nobody-else-may-read'
const ANSWER = 'Hello'
const TRACE_ID = '0af7651916cd43dd8448eb211c80319c'
const PARENT = 'b7ad6b7169203331'
const HEADER = 'Basic c2VjcmV0LW9mLXRoZS1jb2xsZWN0b3I='

interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly status: { readonly code?: number }
  readonly attributes: Readonly<Record<string, unknown>>
}

let collector: Door
let backend: Backend
let cloud: Backend
let test: TestGateway
let answering: Answering

type Answering = (response: { writeHead(status: number): { end(): void } }) => unknown
const takes: Answering = response => response.writeHead(200).end()

beforeEach(async () => {
  answering = takes
  collector = new Door((_received, response) => answering(response))
  await collector.open()
  backend = await startBackend()
  cloud = await startBackend()
})
afterEach(async () => {
  await test.close()
  await Promise.all([backend.close(), cloud.close(), collector.close()])
})

const traces = (fields = '') =>
  `traces: { endpoint: "${collector.origin}/otlp", headers: [{ name: Authorization, secret: "\${OTLP}" }]${fields} }`

async function start(yaml = traces()): Promise<string> {
  test = await startTestGateway({
    onprem: [backend],
    cloud: [cloud],
    yaml,
    env: { CLOUD_KEY: 'sk-cloud-secret-1234', OTLP: HEADER },
  })
  return test.key('pro')
}

const ask = (key: string, body: object = {}, headers: Record<string, string> = {}) =>
  fetch(`${test.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ messages: [{ role: 'user', content: PROMPT }], ...body }),
  }).then(response => response.text())

interface Otlp {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly { readonly key: string; readonly value: object }[] }
    readonly scopeSpans: readonly {
      readonly spans: readonly (Omit<Span, 'attributes'> & {
        readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[]
      })[]
    }[]
  }[]
}

/** The collector's spans, once the gateway has sent all. */
async function spans(): Promise<readonly Span[]> {
  await test.gateway.close(0)
  return collector.requests.flatMap(({ rawBody }) =>
    (JSON.parse(rawBody) as Otlp).resourceSpans.flatMap(({ scopeSpans }) =>
      scopeSpans.flatMap(({ spans }) =>
        spans.map(span => ({
          ...span,
          attributes: Object.fromEntries(span.attributes.map(({ key, value }) => [key, Object.values(value)[0]])),
        })),
      ),
    ),
  )
}

const SERVER = 2
const CLIENT = 3

describe('a request that is traced', () => {
  it('says which process served it', async () => {
    await ask(await start())
    await spans()

    const { resourceSpans } = JSON.parse(collector.requests[0]?.rawBody ?? '') as Otlp
    const [{ resource } = { resource: { attributes: [] } }] = resourceSpans
    const instance = resource.attributes.find(({ key }) => key === 'service.instance.id')
    expect(instance?.value).toEqual({ stringValue: expect.stringMatching(/^.+:\d+$/) })
  })

  it('is a span at the collector, with a span below it for each attempt', async () => {
    const key = await start()
    backend.next(status(408))
    await ask(key, { max_tokens: 17 })
    const [{ inputTokens, outputTokens } = { inputTokens: 0, outputTokens: 0 }] = await test.logged(1)

    const all = await spans()
    const [request] = all.filter(({ kind }) => kind === SERVER)
    const attempts = all.filter(({ kind }) => kind === CLIENT)
    expect(request).toMatchObject({
      name: 'chat svc-core',
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.request.model': 'svc-core',
        'gen_ai.usage.input_tokens': inputTokens,
        'gen_ai.usage.output_tokens': outputTokens,
        'http.response.status_code': 200,
        'http.route': '/v1/chat/completions',
        'svc.plan': 'pro',
        'svc.pool': 'cloud',
      },
    })
    expect(attempts.map(({ name, parentSpanId, status }) => [name, parentSpanId, status.code])).toEqual([
      ['chat test-model', request?.spanId, 2],
      ['chat cloud-model', request?.spanId, 0],
    ])
    expect(attempts[0]?.attributes).toMatchObject({
      'error.type': '408',
      'http.response.status_code': 408,
      'server.address': '127.0.0.1',
      'server.port': backend.port,
      'gen_ai.request.max_tokens': 17,
    })
    expect(attempts[1]?.attributes).toMatchObject({
      'gen_ai.response.model': 'cloud-model',
      'gen_ai.usage.output_tokens': outputTokens,
      'svc.pool': 'cloud',
    })
    expect(collector.requests[0]).toMatchObject({ path: '/otlp/v1/traces', headers: { authorization: HEADER } })
  })

  it('goes on in the trace that its client names, and backends are told of the attempt', async () => {
    const key = await start()
    backend.next(status(408))
    await ask(key, {}, { traceparent: `00-${TRACE_ID}-${PARENT}-01`, tracestate: 'who=me', baggage: 'a=b' })

    const told = [backend, cloud].map(({ requests: [seen] }) => seen?.headers ?? {})
    const all = await spans()
    expect(new Set(all.map(({ traceId }) => traceId))).toEqual(new Set([TRACE_ID]))
    expect(all.find(({ kind }) => kind === SERVER)?.parentSpanId).toBe(PARENT)
    const attempts = all.filter(({ kind }) => kind === CLIENT)
    expect(told.map(({ traceparent }) => traceparent)).toEqual(
      attempts.map(({ spanId }) => `00-${TRACE_ID}-${spanId}-01`),
    )
    expect(told.flatMap(({ tracestate, baggage }) => [tracestate, baggage])).toEqual(Array(4).fill(undefined))
  })

  it.each([
    'nonsense',
    `00-${'0'.repeat(32)}-${PARENT}-01`,
    `00-${TRACE_ID}-${'0'.repeat(16)}-01`,
    `00-${TRACE_ID.toUpperCase()}-${PARENT}-01`,
    `ff-${TRACE_ID}-${PARENT}-01`,
    `00-${TRACE_ID}-${PARENT}-01-more`,
  ])('begins a trace of its own where its client sends %s', async traceparent => {
    const key = await start()
    await ask(key, {}, { traceparent })

    const all = await spans()
    expect(all.length).toBe(2)
    expect(all.every(({ traceId }) => traceId !== TRACE_ID && /^[0-9a-f]{32}$/.test(traceId))).toBe(true)
    expect(all.find(({ kind }) => kind === SERVER)?.parentSpanId ?? '').toBe('')
  })

  it('tells nobody what was asked or answered, nor any key or account, nor a name that a client made up', async () => {
    const key = await start()
    backend.next(refusal(400, { message: PROMPT, code: PROMPT }))
    await ask(key)
    await ask(key, { stream: true })
    backend.next(streamThenReset({ chunks: [ANSWER] }))
    await ask(key, { stream: true })
    await ask(key, { model: 'a-model-made-up' })
    await ask(key, { model: key })
    const log = await test.logged(5)

    const all = await spans()
    const text = collector.requests.map(({ rawBody }) => rawBody).join('\n')
    expect(all.filter(({ kind }) => kind === SERVER)).toHaveLength(5)
    const accounts = log.flatMap(({ account }) => account ?? [])
    for (const word of [PROMPT, ANSWER, key.slice(0, 12), 'sk-cloud', 'made-up', HEADER, ...accounts])
      expect(text).not.toContain(word)
    expect(all.filter(({ attributes }) => attributes['error.type'] === 'interrupted')).toHaveLength(2)
  })
})

describe('traces cost requests nothing', () => {
  // Spans are sent a second later, by the clock of this machine.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
  afterEach(() => void vi.useRealTimers())
  const passSeconds = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1000)

  const expectServed = async (key: string, total: number) => {
    for (let n = 0; n < 10; n++) expect(await ask(key)).toContain('Hello')
    expect((await test.logged(total)).every(({ status }) => status === 200)).toBe(true)
  }

  it('while the collector hangs', async () => {
    const ends: (() => unknown)[] = []
    answering = response => ends.push(() => response.writeHead(200).end())
    const key = await start()
    await expectServed(key, 10)
    await passSeconds(1)
    await collector.until(() => ends.length > 0)

    await expectServed(key, 20)

    answering = takes
    for (const end of ends) end()
  })

  it('while the collector fails', async () => {
    answering = response => response.writeHead(500).end()
    const key = await start()
    await expectServed(key, 10)
    await passSeconds(1)
    await collector.until(() => collector.requests.length > 0)

    await expectServed(key, 20)
  })

  it('while it refuses them, of which operators are told once', async () => {
    answering = response => response.writeHead(400).end()
    const key = await start()
    await ask(key)
    await passSeconds(1)
    while (test.alarms.length === 0) await new Promise(setImmediate)
    await ask(key)
    await passSeconds(1)
    await collector.until(() => collector.requests.length >= 2)

    expect(test.alarms.join()).toContain('traces cannot be sent: spans are lost, requests go on')
    expect(test.alarms).toHaveLength(1)
  })

  it('while there is no collector', async () => {
    const key = await start()
    collector.refuse()
    await expectServed(key, 10)
    await passSeconds(1)

    await expectServed(key, 20)

    collector.serve()
    await passSeconds(5)
    await collector.until(() => collector.requests.length > 0)
  })

  it('where none are wanted: no header for backends, whatever clients send, and no code that makes them', async () => {
    const key = await start('')
    await ask(key, {}, { traceparent: `00-${TRACE_ID}-${PARENT}-01` })

    expect(backend.requests[0]?.headers).not.toHaveProperty('traceparent')
    const src = fileURLToPath(new URL('../../../src', import.meta.url))
    const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.ts'))
    const loads = files.filter(name =>
      /from '(?:@opentelemetry|.*adapters\/traces)/.test(readFileSync(join(src, name), 'utf8')),
    )
    expect(loads.filter(name => !name.startsWith('adapters/otlp/'))).toEqual([])
  })

  it('of which none are sampled: nothing is sent, and backends are told that nobody looks', async () => {
    const key = await start(traces(', sample: 0'))
    await ask(key, {}, { traceparent: `00-${TRACE_ID}-${PARENT}-01` })

    expect(await spans()).toEqual([])
    expect(backend.requests[0]?.headers.traceparent).toMatch(new RegExp(`^00-${TRACE_ID}-[0-9a-f]{16}-00$`))
  })
})

it('traces begin and end with a reload', async () => {
  const key = await start('')
  await ask(key)
  await test.reload({ yaml: traces() })
  await ask(key)
  await test.reload({ yaml: '' })
  await ask(key)

  expect((await spans()).filter(({ kind }) => kind === SERVER)).toHaveLength(1)
})
