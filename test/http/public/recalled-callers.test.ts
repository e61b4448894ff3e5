import { randomBytes } from 'node:crypto'
import { createClient } from '@keyv/redis'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { mintKey } from '../../../src/gateway/accounts/accounts.ts'
import { hashOf } from '../../../src/gateway/accounts/keys.ts'
import type { TermsChange } from '../../../src/gateway/store/account-store.ts'
import { answer, type Backend, startBackend } from '../../support/backend.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { describeRedis, useRedis } from '../../support/redis/redis.ts'
import { times } from '../../support/times.ts'
import { outcomeOf, send, type Told } from '../calls.ts'

const REVOCATIONS = times(60, 10)
const CLIENTS = 8

describeRedis('of two gateways on one Redis, one that knows a caller from a moment ago', () => {
  const redis = useRedis()
  let backend: Backend
  let test: TestGateway
  let other: TestGateway
  let key: string
  let account: string

  beforeAll(async () => {
    backend = await startBackend()
    backend.always(answer({ content: 'Hi' }))
    const yaml = 'hosted_tools: { calculator: { builtin: calculator } }'
    test = await startTestGateway({ onprem: [backend], redis: redis(), yaml, fields: { pro: 'tools: [calculator]' } })
    other = await startTestGateway({ onprem: [backend], redis: redis(), yaml, fields: { pro: 'tools: [calculator]' } })
  })
  afterAll(async () => {
    await test.close()
    await other.close()
    await backend.close()
  })

  beforeEach(async () => {
    key = await newKey()
    account = (await other.gateway.store.keys.findCaller(hashOf(key)))?.account ?? ''
    expect(await chat()).toMatchObject({ status: 200 })
  })
  afterEach(() => backend.always(answer({ content: 'Hi' })))

  const ask = (endpoint: string, body?: unknown): Promise<Told> =>
    send(test, endpoint, { token: key, ...(body !== undefined && { body }) })
  const messages = [{ role: 'user', content: 'Hello' }]
  const chat = (more: object = {}) => ask('POST /v1/chat/completions', { messages, ...more })
  const newKey = () => test.key('pro', `user-${randomBytes(4).toString('hex')}`)
  const revoke = () => other.gateway.store.keys.revoke({ hash: hashOf(key), by: 'test' })
  const change = (changed: TermsChange['change']) =>
    other.gateway.store.accounts.changeTerms({ account, change: changed, by: 'test' })
  /** Another key of the account, which lives for so many milliseconds. */
  const keyWith = async (life: number) => {
    const minted = await mintKey(other.gateway.store.keys, randomBytes, {
      ...{ brand: 'svc', label: `of ${account}`, plan: 'pro', most: 50, by: 'test', wish: { name: 'short', life } },
    })
    if (minted.outcome !== 'minted' || minted.value === undefined) throw new Error('there is no key')
    return { value: minted.value, expiresAt: minted.key.expiresAt ?? 0 }
  }
  const isRecalled = () => test.gateway.store.keys.recallCaller(hashOf(key)) !== undefined

  it('asks Redis twice for a request: to admit it, and to settle it', async () => {
    const watcher = createClient({ url: redis().url })
    await watcher.connect()
    const seen: string[] = []
    // A command that no one else sends shows that all before it were seen.
    const over = new Promise<void>(resolve => {
      void watcher.monitor(line => {
        const text = String(line)
        if (text.includes('"the end"')) resolve()
        else seen.push(text)
      })
    })
    const marks = createClient({ url: redis().url })
    await marks.connect()

    const recalled = () => test.gateway.store.keys.recallCaller(hashOf(key))
    const counted: number[] = []
    // A caller is known for seconds, which may be over before a busy machine asks again.
    for (let n = 0; counted.length < 3; n++) {
      const known = recalled()
      await marks.ping(`before ${n}.`)
      expect(await chat()).toMatchObject({ status: 200 })
      await marks.ping(`after ${n}.`)
      if (known && recalled() === known) counted.push(n)
    }
    await marks.ping('the end')
    await over

    for (const n of counted) {
      const [from, to] = ['before', 'after'].map(at => seen.findIndex(line => line.includes(`"${at} ${n}."`)))
      // Scripts run commands of their own, which take no round trip; what no request asks for names no account.
      const asked = seen
        .slice(Number(from) + 1, to)
        .filter(line => !/\[\d+ lua\]/.test(line) && (line.includes(account) || line.includes(hashOf(key))))
      expect(asked.map(line => /"(\w+)"/.exec(line)?.[1]?.toUpperCase())).toEqual(['EVALSHA', 'EVALSHA'])
    }
    watcher.destroy()
    marks.destroy()
  })

  it.each<[string, string, unknown]>([
    ['what it asks for is served', 'POST /v1/chat/completions', { messages }],
    ['its body is no JSON', 'POST /v1/chat/completions', '{'],
    ['its body is not valid', 'POST /v1/chat/completions', { messages: [] }],
    ['its plan lacks the model', 'POST /v1/chat/completions', { messages, model: 'no-such-model' }],
    [
      'it has hosted tools',
      'POST /v1/messages',
      { messages, max_tokens: 9, model: 'svc-core', tools: [{ name: 'calculator' }] },
    ],
    ['it goes on from a response', 'POST /v1/responses', { input: 'Hi', previous_response_id: 'resp_1' }],
    ['it asks for an embedding', 'POST /v1/embeddings', { model: 'svc-embed', input: 'Hi' }],
    ['it only counts tokens', 'POST /v1/messages/count_tokens', { messages, model: 'svc-core' }],
    ['it asks what was spent', 'GET /billing/quota', undefined],
    ['it asks for its requests', 'GET /v1/requests', undefined],
  ])('refuses a revoked key at its next request, also where %s', async (_what, endpoint, body) => {
    expect(isRecalled()).toBe(true)
    await revoke()

    expect(outcomeOf(await ask(endpoint, body))).toBe('401 INVALID_KEY')
  })

  it('sends nothing of a revoked key to a backend, and charges nothing', async () => {
    const [before, rows] = [backend.requests.length, (await test.ledger()).length]
    await revoke()

    await chat()

    expect(backend.requests.length).toBe(before)
    expect((await test.ledger()).length).toBe(rows)
    expect(isRecalled()).toBe(false)
  })

  it('serves no request that began after a key ended by itself', async () => {
    // A machine may be too busy to serve four requests within the life of a key: the next key lives longer.
    for (let life = 250; ; life *= 2) {
      const ending = await keyWith(life)
      key = ending.value
      // Redis has the clock of this machine.
      const served: number[] = []
      let began = Date.now()
      let told = await chat()
      for (; told.status === 200; told = await chat()) {
        served.push(began)
        began = Date.now()
      }

      expect(outcomeOf(told)).toBe('401 INVALID_KEY')
      expect(Date.now()).toBeGreaterThanOrEqual(ending.expiresAt)
      expect(served.filter(at => at >= ending.expiresAt)).toEqual([])
      if (served.length > 3) break
    }
  })

  it('refuses an account that was frozen, and serves it once it is thawed', async () => {
    await change({ frozen: true })
    for (let n = 0; n < 3; n++) expect(outcomeOf(await chat())).toBe('403 ACCOUNT_FROZEN')
    expect(isRecalled()).toBe(true)

    await change({ frozen: false })

    expect(await chat()).toMatchObject({ status: 200 })
  })

  it('refuses an account whose org was frozen, and serves it once it left', async () => {
    const { orgs } = other.gateway.store
    const org = `org-${randomBytes(4).toString('hex')}`
    await orgs.open(org)
    await change({ org })
    expect(await chat()).toMatchObject({ status: 200 })
    expect(await chat()).toMatchObject({ status: 200 })

    await orgs.changeTerms({ org, change: { frozen: true }, by: 'test' })
    for (let n = 0; n < 3; n++) expect(outcomeOf(await chat())).toBe('403 ACCOUNT_FROZEN')
    await change({ org: null })

    expect(await chat()).toMatchObject({ status: 200 })
  })

  it('counts by a limit that an operator set a moment ago', async () => {
    await change({ limit: { measure: 'requests', most: 1, per: 'hour' } })

    expect(outcomeOf(await chat())).toBe('200')
    expect(outcomeOf(await chat())).toBe('429 rate_limit_exceeded')
  })

  it('serves by the plan that an operator chose a moment ago, and logs that one', async () => {
    await change({ override: 'free' })
    expect((await chat()).headers['x-svc-quota-plan']).toBe('free')
    expect(outcomeOf(await chat({ model: 'svc-ultra-pro', max_tokens: 2000 }))).toBe('429 rate_limit_exceeded')
    expect(isRecalled()).toBe(true)

    await change({ override: 'pro' })

    expect(outcomeOf(await chat({ model: 'svc-ultra-pro', max_tokens: 2000 }))).toBe('200')
    const { log } = test
    expect(log.slice(-3).map(({ plan }) => plan)).toEqual(['free', 'free', 'pro'])
  })

  it(`serves no request that begins after the answer to a revocation, ${REVOCATIONS} times at full rate`, async () => {
    const asked: Asked[] = []
    const late: Asked[] = []
    for (let n = 0; n < REVOCATIONS; n++) {
      key = await newKey()
      const from = asked.length
      let revokedAt = Number.POSITIVE_INFINITY
      const clients = Array.from({ length: CLIENTS }, async () => {
        for (let began = 0; began <= revokedAt; ) {
          began = performance.now()
          asked.push({ began, outcome: outcomeOf(await chat()) })
        }
      })
      await chat()
      await revoke()
      revokedAt = performance.now()
      await Promise.all(clients)
      late.push(...asked.slice(from).filter(({ began }) => began > revokedAt))
      // So many refusals of one address are soon 429.
      test.clock.advance(2 * CLIENTS * 200)
    }

    expect(late.length).toBeGreaterThanOrEqual(CLIENTS * REVOCATIONS)
    const refused = new Set(['401 INVALID_KEY', '503 STORE_UNAVAILABLE'])
    expect(late.filter(({ outcome }) => !refused.has(outcome))).toEqual([])
    expect(asked.filter(({ outcome }) => outcome === '200').length).toBeGreaterThan(REVOCATIONS)
  })
})

interface Asked {
  readonly began: number
  readonly outcome: string
}
