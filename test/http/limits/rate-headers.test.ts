import { afterEach, beforeEach, expect, it } from 'vitest'
import { resetText } from '../../../src/wire/quota-headers.ts'
import { inNpmTest } from '../../lanes/lane.ts'
import { answer, type Backend, hang, startBackend, stream } from '../../support/backend.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { describeRedis, type RedisServer, useRedis } from '../../support/redis/redis.ts'

const usage = { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 }
const small = { max_tokens: 10 }
let accounts = 0
/** One Redis serves all of these tests. */
const freshAccount = () => `account ${accounts++}`

inNpmTest.describe('with the embedded store', () => guarantees())
describeRedis('with Redis', () => guarantees(useRedis()))

function guarantees(redis?: () => RedisServer): void {
  let backend: Backend
  let test: TestGateway

  beforeEach(async () => {
    backend = await startBackend()
    backend.always(answer({ content: 'Hi', usage }))
    test = await startTestGateway({ onprem: [backend], ...(redis && { redis: redis() }) })
  })

  afterEach(async () => {
    await test.close()
    await backend.close()
  })

  it('an answer tells what its admission left of the minute, and what was reserved comes back with the next', async () => {
    const key = await test.key('tight', freshAccount())
    const first = await asked(key, small)
    const second = await asked(key, small)

    expect(first).toEqual({ ...LIMITS, remaining: [1, expect.any(Number)] })
    // The first one reserved its cap, and turned out to weigh 12 tokens.
    expect(second).toEqual({ ...LIMITS, remaining: [0, (first.remaining[1] ?? 0) - 12] })
    expect(first.remaining[1]).toBeLessThan(10_000 - 10)
  })

  it('a stream tells it at its beginning', async () => {
    backend.next(stream({ chunks: ['Hi'], usage }))

    expect(await asked(await test.key('tight', freshAccount()), { ...small, stream: true })).toMatchObject({
      ...LIMITS,
      remaining: [1, expect.any(Number)],
    })
  })

  it('a request that the minute refuses is told that nothing is left, and when all of it is free again', async () => {
    const key = await test.key('tight', freshAccount())
    for (let i = 0; i < 2; i++) await asked(key, small)

    expect(await asked(key, small, 429)).toEqual({ ...LIMITS, remaining: [0, 10_000 - 24] })
  })

  it('a request beside too many others is told what is left of the minute', async () => {
    const key = await test.key('tight', freshAccount())
    backend.next(hang)
    const leaving = new AbortController()
    test.chat(key, small, { signal: leaving.signal }).catch(() => {})
    await backend.received(1)

    expect(await asked(key, small, 429)).toEqual({ ...LIMITS, remaining: [1, expect.any(Number)] })
    leaving.abort()
  })

  it("a refusal by another limit has no headers of the account's minute", async () => {
    for (const [plan, body, status] of [
      ['free', { model: 'svc-ultra-pro' }, 429],
      ['tight', { max_tokens: 1000 }, 402],
      ['free', { temperature: 'hot' }, 400],
    ] as const) {
      const { headers } = await test.chat(await test.key(plan, freshAccount()), body).then(async response => {
        expect(response.status).toBe(status)
        await response.text()
        return response
      })
      expect([...headers.keys()].filter(name => name.startsWith('x-ratelimit'))).toEqual([])
    }
  })

  /** Limits of the plan `tight`; Redis has its own clock, so a second may have passed. */
  const LIMITS = { limit: [2, 10_000], reset: [expect.stringMatching(/^1m[01]s$/), expect.stringMatching(/^1m[01]s$/)] }

  async function asked(key: string, body: object, status = 200) {
    const response = await test.chat(key, body)
    await response.text()
    expect(response.status).toBe(status)
    const of = (what: string) => ['requests', 'tokens'].map(unit => response.headers.get(`x-ratelimit-${what}-${unit}`))
    return { limit: of('limit').map(Number), remaining: of('remaining').map(Number), reset: of('reset') }
  }
}

inNpmTest.it.each([
  [0, '0s'],
  [1, '1s'],
  [5999, '6s'],
  [59_001, '1m0s'],
  [60_343, '1m1s'],
])('a reset in %d ms is written as OpenAI does: %s', (ms, text) => {
  expect(resetText(ms)).toBe(text)
})
