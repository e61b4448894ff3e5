import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inNpmTest } from '../../lanes/lane.ts'
import { type Backend, startBackend } from '../../support/backend.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { describeRedis, type RedisServer, startRedis } from '../../support/redis/redis.ts'
import { ticks } from './site.ts'

/** Charges of clients that leave an answer other than text: vectors, images, and answers charged per call, second or MB. */
inNpmTest.describe('with the embedded store', () => leftOtherKinds(async () => undefined))
describeRedis('with Redis', () => leftOtherKinds(startRedis))

const ROUTES = `
models:
  svc-voice: { kind: passthrough, tier: standard, serve: [onprem] }
passthrough:
  - { path: /v1/by/call, methods: [POST], model: svc-voice, meter: { usd_per_call: 0.01 } }
  - { path: /v1/by/second, methods: [POST], model: svc-voice, meter: { usd_per_second: 0.001, max_seconds: 60 } }
  - { path: /v1/by/mb, methods: [POST], model: svc-voice, meter: { usd_per_mb: 1, max_mb: 4 } }
`
/** One transparent pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='
const JSON_TYPE = { 'content-type': 'application/json' }

function leftOtherKinds(startStore: () => Promise<RedisServer | undefined>): void {
  let redis: RedisServer | undefined
  let backend: Backend
  let gateway: TestGateway
  let key: string
  let asked = 0

  beforeAll(async () => {
    redis = await startStore()
    backend = await startBackend()
    gateway = await startTestGateway({
      onprem: [backend],
      yaml: 'include: [routes.yaml]',
      files: { 'routes.yaml': ROUTES },
      ...(redis && { redis }),
    })
    key = await gateway.key('pro')
  })

  afterAll(async () => {
    await gateway.close()
    await backend.close()
    await redis?.stop()
  })

  /** A request whose backend works on it; `head` is what it sends of its answer before the client leaves. */
  async function begun(path: string, body: object, head?: Buffer) {
    let answer = (_value: object) => {}
    backend.next(({ response }) => {
      if (head) response.writeHead(200, { 'content-type': 'audio/mpeg' }).write(head)
      answer = value => void response.writeHead(200, JSON_TYPE).end(JSON.stringify(value))
    })
    // Ids go by time: the last row is that of the last request.
    gateway.clock.advance(1)
    asked++
    const leave = new AbortController()
    const asking = fetch(`${gateway.url}${path}`, {
      method: 'POST',
      headers: { ...JSON_TYPE, authorization: `Bearer ${key}` },
      body: JSON.stringify(body),
      signal: leave.signal,
    })
    const over = asking.catch(() => {})
    await backend.received(asked)
    if (head) await (await asking).body?.getReader().read()
    return {
      answer: (value: object) => answer(value),
      leave: async () => {
        leave.abort()
        await over
        await gateway.closed(asked)
        await ticks()
      },
    }
  }

  async function charged() {
    await gateway.logged(asked)
    const rows = await gateway.ledger()
    if (rows.length !== asked) throw new Error(`${rows.length} of ${asked} requests have a row`)
    return rows.at(-1)
  }

  describe('vectors', () => {
    const body = { model: 'svc-embed', input: 'lorem ipsum '.repeat(40) }

    it('cost what their backend reports within 5 s', async () => {
      const { answer, leave } = await begun('/v1/embeddings', body)
      await leave()
      const data = [{ object: 'embedding', index: 0, embedding: Array(768).fill(0) }]
      answer({ object: 'list', model: 'test-model', data, usage: { prompt_tokens: 77, total_tokens: 77 } })

      expect(await charged()).toMatchObject({ inputTokens: 77, estimated: false })
    })

    it('cost their text where nothing is reported', async () => {
      const { leave } = await begun('/v1/embeddings', body)
      await leave()
      gateway.clock.advance(5000)

      expect(await charged()).toMatchObject({ inputTokens: 120, estimated: true })
    })
  })

  it('pictures cost what came within 30 s', async () => {
    const { answer, leave } = await begun('/v1/images/generations', {
      ...{ model: 'svc-image', prompt: 'a cat', n: 2, size: '512x512' },
    })
    await leave()
    gateway.clock.advance(29_000)
    answer({ created: 1, data: Array(2).fill({ b64_json: PNG }) })

    expect(await charged()).toMatchObject({ cost: 20_000_000 })
  })

  it('what is paid by the call costs the call, also before any of it came', async () => {
    const { leave } = await begun('/v1/by/call', {})
    await leave()

    expect(await charged()).toMatchObject({ cost: 10_000_000 })
  })

  it('what is paid by the second costs the time until its backend is stopped', async () => {
    const gone = backend.aborted
    const { leave } = await begun('/v1/by/second', {}, Buffer.from('some'))
    gateway.clock.advance(7000)
    await leave()

    expect(await charged()).toMatchObject({ cost: 7_000_000 })
    await backend.clientGone(gone + 1)
  })

  it('what is paid by the MB costs the bytes that passed', async () => {
    const { leave } = await begun('/v1/by/mb', {}, Buffer.alloc(500_000))
    await leave()

    const { cost = 0 } = (await charged()) ?? {}
    // The body and the answer, of which the backend may have sent more than the client read.
    expect(cost).toBeGreaterThan(1_000_000)
    expect(cost).toBeLessThan(501_000_000)
  })
}
