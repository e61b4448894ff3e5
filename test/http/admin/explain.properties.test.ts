import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { AccountUsage } from '../../../src/gateway/store/account-store.ts'
import type { ShownExplained } from '../../../src/wire/admin/explained.ts'
import { claimsOf } from '../../adapters/store/fixtures.ts'
import { inNpmTest } from '../../lanes/lane.ts'
import { type Backend, type Behaviour, hello, json, startBackend } from '../../support/backend.ts'
import { ADMIN_TOKEN, startTestGateway, type TestGateway, type TestPools } from '../../support/gateway.ts'
import { describeRedis, useRedis } from '../../support/redis/redis.ts'
import { times } from '../../support/times.ts'
import { send } from '../calls.ts'

/** A thing that operators or clients do to an account before one of its requests is asked about. */
type Step =
  | { readonly do: 'change'; readonly path: string; readonly body: object }
  | { readonly do: 'mint'; readonly wish: object }
  | { readonly do: 'revoke' | 'hold' }
  | { readonly do: 'drain' | 'undrain'; readonly pool: 'onprem' | 'cloud' }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'ask'; readonly request: Request }

interface Request {
  readonly path: string
  readonly body: object
  readonly isRepeated: boolean
}

const change = (path: string, ...bodies: readonly object[]): fc.Arbitrary<Step> =>
  fc.constantFrom(...bodies).map(body => ({ do: 'change' as const, path, body }))

const limits = [
  { measure: 'requests', most: 2, per: 'hour' },
  { measure: 'tokens', most: 900, per: 'day' },
  { measure: 'output_tokens', most: 200, per: 'minute', model: 'svc-core' },
  { measure: 'usd', most: 2_000_000, per: 'day' },
  { measure: 'concurrent', most: 1 },
] as const

const chat = fc
  .record({
    model: fc.constantFrom(undefined, 'svc-auto', 'svc-core', 'svc-core', 'svc-ultra-pro', 'svc-image', 'made-up'),
    max_tokens: fc.constantFrom(undefined, 1, 5, 50, 3000, 20_000, 400_000),
    stream: fc.boolean(),
    tokens: fc.constantFrom(1, 1, 40, 3000, 12_000, 40_000),
  })
  .map(({ tokens, ...body }) => ({
    path: '/v1/chat/completions',
    body: { ...body, messages: [{ role: 'user', content: 'bla '.repeat(tokens) }] },
  }))

const embedding = fc
  .constantFrom('Hello', 'bla '.repeat(600))
  .map(input => ({ path: '/v1/embeddings', body: { model: 'svc-embed', input } }))

const request: fc.Arbitrary<Request> = fc
  .tuple(fc.oneof({ weight: 6, arbitrary: chat }, { weight: 1, arbitrary: embedding }), fc.boolean())
  .map(([asked, isRepeated]) => ({ ...asked, isRepeated }))

const step = (mayWait: boolean): fc.Arbitrary<Step> =>
  fc.oneof(
    { weight: 9, arbitrary: request.map(request => ({ do: 'ask' as const, request })) },
    change('plan', { plan: 'free' }, { plan: 'tight' }, { plan: 'pro' }),
    change('grant', { usd: '0.5' }, { usd: '-1' }),
    change('overage', { overage: true }, { overage: { cap_usd: '0.01' } }, { overage: null }),
    change('limit', ...limits.map(limit => ({ limit }))),
    change('freeze', {}),
    { weight: 2, arbitrary: change('thaw', {}) },
    change('org', { org: 'org:acme' }, { org: null }),
    fc
      .constantFrom({ models: ['svc-core'] }, { limits: [{ measure: 'tokens', most: 400, per: 'hour' }] }, {})
      .map(wish => ({
        do: 'mint' as const,
        wish,
      })),
    fc.constant({ do: 'revoke' as const }),
    fc.constant({ do: 'hold' as const }),
    fc.record({
      do: fc.constantFrom('drain' as const, 'undrain' as const, 'undrain' as const),
      pool: fc.constantFrom('onprem' as const, 'cloud' as const),
    }),
    ...(mayWait
      ? [
          fc.record({
            do: fc.constant('wait' as const),
            ms: fc.constantFrom(700, 20_000, 61_000, 3_600_000, 86_400_000),
          }),
        ]
      : []),
  )

/** One account, and the key that it sends with. */
class Rehearsal {
  readonly #test: TestGateway
  readonly #label: string
  #value = ''
  #id = ''
  #names = 0
  asked = 0

  constructor(test: TestGateway, label: string) {
    this.#test = test
    this.#label = label
  }

  async admin(path: string, body: object) {
    return send({ url: this.#test.admin }, `POST /admin/${path}`, { token: ADMIN_TOKEN, body })
  }

  async mint(wish: object): Promise<void> {
    const body = { account: this.#label, plan: 'free', name: `key ${this.#names++}`, ...wish }
    const minted = await this.admin('keys', this.#value === '' ? body : { ...body, plan: undefined })
    const { id, value } = minted.body as { readonly id: string; readonly value: string }
    if (minted.status !== 200) throw new Error(minted.text)
    this.#id = id
    this.#value = value
  }

  async do(step: Step): Promise<void> {
    switch (step.do) {
      case 'change':
        await this.admin(`accounts/${step.path}`, { account: this.#label, ...step.body })
        return
      case 'mint':
        return this.mint(step.wish)
      case 'revoke':
        await this.admin('keys/revoke', { key: this.#id })
        return
      case 'drain':
      case 'undrain':
        await this.admin(`pools/${step.do}`, { pool: step.pool })
        return
      case 'wait':
        this.#test.clock.advance(step.ms)
        // Leases that ran out meanwhile are over now, and not between a question and its request.
        await this.#test.gateway.store.holds.sweep()
        return
      case 'hold':
        return this.#hold()
      case 'ask':
        await this.#ask(step.request)
        if (step.request.isRepeated) await this.#ask(step.request)
    }
  }

  /** A request that runs, of which nothing is known yet. */
  async #hold(): Promise<void> {
    const { holds, accounts, orgs } = this.#test.gateway.store
    const [record] = await accounts.findByLabel(this.#label)
    if (!record) throw new Error(`there is no ${this.#label}`)
    const { account, terms } = record
    const org = terms.org === undefined ? undefined : await orgs.find(terms.org)
    const claims = claimsOf({ at: this.#test.clock.now(), want: 300 })
    const requestId = `req_held_${this.#label}_${this.#names++}`
    await holds.admit({ requestId, account, terms, claims, ...(org && { orgTerms: org.terms }) })
  }

  async #send(path: string, body: object) {
    const response = await fetch(this.#test.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.#value}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const text = await response.text()
    const { status, headers } = response
    return { status, text, pool: headers.get('x-svc-upstream'), requestId: headers.get('x-request-id') ?? '' }
  }

  async #ask({ path, body }: Request): Promise<void> {
    const { store } = this.#test.gateway
    const asked = await this.admin('explain', { key: this.#id, path, body })
    expect(asked.status, asked.text).toBe(200)
    const told = asked.body as ShownExplained
    const before = countedIn(await store.accounts.readUsage(told.account.account))
    const again = await this.admin('explain', { key: this.#id, path, body })
    expect((again.body as ShownExplained).verdict).toBe(told.verdict)
    expect(countedIn(await store.accounts.readUsage(told.account.account))).toEqual(before)
    // Without a key that works, an address may ask 5 times a second.
    if (told.answer?.status === 401) this.#test.clock.advance(300)
    const real = await this.#send(path, body)

    this.asked++
    if (told.verdict === 'deny') {
      expect([real.status, withoutWaits(JSON.parse(real.text))]).toEqual([
        told.answer?.status,
        withoutWaits(told.answer?.body),
      ])
      return
    }
    expect(real.status, real.text).toBe(200)
    expect(real.pool).toBe(told.pools[0]?.pool)
    const rows = await store.ledger.readRequest(real.requestId)
    // A row of its own for a failed attempt.
    expect([...new Set(rows.map(row => row.model))]).toEqual([told.model])
  }
}

/** The usage that stays as it is while only the clock goes on. */
const countedIn = (usage: AccountUsage | undefined) =>
  usage && { day: usage.day, concurrent: usage.concurrent, used: usage.used, held: usage.held }

/** A wait is shorter by the time between two calls, where the clock goes on. */
function withoutWaits(body: unknown): unknown {
  const text = JSON.stringify(body)
  return JSON.parse(
    text.replace(/"retry_after_ms":\d+/, '"retry_after_ms":0').replace(/[\d.]+ (ms|s|seconds?)\b/g, 'a while'),
  )
}

const vectors = json({
  object: 'list',
  data: [{ object: 'embedding', index: 0, embedding: Array(768).fill(0.5) }],
  usage: { prompt_tokens: 1, total_tokens: 1 },
})

const serves: Behaviour = exchange => (exchange.seen.path.endsWith('/embeddings') ? vectors(exchange) : hello(exchange))

function agrees(poolsOf: () => Partial<TestPools>, runs: number): void {
  let backend: Backend
  let test: TestGateway
  beforeAll(async () => {
    backend = await startBackend()
    backend.always(serves)
    test = await startTestGateway({ onprem: [backend], cloud: [backend], ...poolsOf() })
  })
  afterAll(async () => {
    await test.close()
    await backend.close()
  })

  it('for any state of an account, the answer is what the request behind it gets: status, error, pool and model', async () => {
    const isStill = poolsOf().redis === undefined
    let account = 0
    let asked = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step(isStill), { minLength: 3, maxLength: 18 }), async steps => {
        const rehearsal = new Rehearsal(test, `account-${account++}`)
        for (const pool of ['onprem', 'cloud']) await rehearsal.admin('pools/undrain', { pool })
        await rehearsal.mint({})
        for (const each of steps) await rehearsal.do(each)
        asked += rehearsal.asked
      }),
      { numRuns: runs },
    )
    expect(asked).toBeGreaterThan(runs)
  })
}

inNpmTest.describe('svcctl explain on an account, in the embedded store', () => agrees(() => ({}), times(300)))

describeRedis('svcctl explain on an account, in Redis', () => {
  const redis = useRedis()
  agrees(() => ({ redis: redis() }), times(150))
})
