import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { answer, type Backend, startBackend } from '../../support/backend.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { describeRedis, type RedisServer, startRedis } from '../../support/redis/redis.ts'
import { outcomeOf, send } from '../calls.ts'

describe('with the embedded store', () => usageWith(async () => undefined))
describeRedis('with Redis', () => usageWith(startRedis))

const DAY = 86_400_000

function usageWith(startStore: () => Promise<RedisServer | undefined>): void {
  let redis: RedisServer | undefined
  let backend: Backend
  let test: TestGateway

  beforeEach(async () => {
    redis = await startStore()
    backend = await startBackend()
    backend.always(answer({ content: 'Hi', usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 } }))
    test = await startTestGateway({ onprem: [backend], ...(redis && { redis }) })
  })

  afterEach(async () => {
    await test.close()
    await backend.close()
    await redis?.stop()
  })

  const usage = async (token: string, query = '') =>
    (await send(test, `GET /billing/usage${query}`, { token })).body as { data: { key: string | null }[] }
  const day = (before = 0) => new Date(test.clock.now() - before * DAY).toISOString().slice(0, 10)

  it('the rows of an account are its own, by model and key, and add up to its ledger', async () => {
    const key = await test.key('pro')
    const other = await test.key('pro', 'bob')
    for (const model of ['svc-core', 'svc-core', 'svc-ultra-pro'])
      expect((await test.chat(key, { model, max_tokens: 2000 })).status).toBe(200)
    expect((await test.chat(other, { max_tokens: 10 })).status).toBe(200)

    const found = await usage(key)

    const of = (model: string, requests: number, nano: number, usd: string) => ({
      ...{ day: day(), model, plan: 'pro', key: expect.stringMatching(/^key_/) },
      ...{ requests, input_tokens: 9 * requests, output_tokens: 3 * requests },
      ...{ cached_tokens: 0, cache_write_tokens: 0, cost_nano_usd: nano, usd },
    })
    expect(found).toEqual({
      object: 'list',
      unit: 'usd',
      since: day(29),
      until: day(),
      days: 30,
      data: [of('svc-core', 2, 78_000, '0.000078'), of('svc-ultra-pro', 1, 42_000, '0.000042')],
    })
    expect((await usage(other)).data).toHaveLength(1)
  })

  it('days are as many as asked for, of which the last is today', async () => {
    const key = await test.key()

    expect(await usage(key, '?days=1')).toMatchObject({ since: day(), until: day(), days: 1, data: [] })
    expect(await usage(key, '?days=90')).toMatchObject({ since: day(89), until: day(), days: 90 })
  })
}

describe('refused:', () => {
  it.each(['?days=0', '?days=91', '?days=1.5', '?days=', '?days=all', '?since=30d', '?days=1&days=2'])(
    '%s',
    async query => {
      const backend = await startBackend()
      const test = await startTestGateway({ onprem: [backend] })

      const told = await send(test, `GET /billing/usage${query}`, { token: await test.key() })

      expect(outcomeOf(told)).toBe('400 VALIDATION_ERROR')
      await test.close()
      await backend.close()
    },
  )
})
