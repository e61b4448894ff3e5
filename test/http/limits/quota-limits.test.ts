import { expect } from 'vitest'
import type { LimitRule } from '../../../src/policy/limits/rule.ts'
import { hang } from '../../support/backend.ts'
import type { TestGateway } from '../../support/gateway.ts'
import { gatewayTest } from '../../support/gateway-test.ts'
import { DOLLAR, limitPlan } from '../../support/limit-rules.ts'

const it = gatewayTest.extend('config', { guests: 'usd_per_day_total: 50' })

it('lists the limits of a plan in the order of their short forms, with what is used of each', async ({ gateway }) => {
  const key = await gateway.key('tight')
  expect((await gateway.chat(key, { max_tokens: 10 })).status).toBe(200)

  expect(await limitsOf(gateway, key)).toEqual([
    limit({ measure: 'requests', per: 'minute', limit: 2 }, { used: 1, resetAt: MINUTE_END }),
    limit({ measure: 'tokens', per: 'minute', limit: 10_000 }, { used: 12, resetAt: MINUTE_END }),
    limit({ measure: 'requests', per: 'day', limit: 3 }, { used: 1, resetAt: DAY_END }),
    limit({ measure: 'concurrent', per: null, limit: 1 }, { used: 0 }),
    limit({ measure: 'usd', per: 'month', limit: 0.01 }, { used: 0.000039, resetAt: MONTH_END }),
  ])
})

it('says of the minute when it is over, whenever it is asked', async ({ gateway }) => {
  const key = await gateway.key('tight')
  expect((await gateway.chat(key, { max_tokens: 10 })).status).toBe(200)
  gateway.clock.advance(10_000)

  expect((await limitsOf(gateway, key)).slice(0, 2)).toMatchObject([{ resetAt: MINUTE_END }, { resetAt: MINUTE_END }])
})

it('lists every rule of account and key, and what its requests and their models came to', async ({ gateway }) => {
  limitPlan(gateway, 'free', [
    { measure: 'requests', most: 50, per: 'hour', of: 'key' },
    { measure: 'tokens', most: 9000, per: '30d' },
    { measure: 'output_tokens', most: 700, per: 'day', model: 'svc-core' },
    { measure: 'input_tokens', most: 700, per: 'day', model: 'svc-ultra-pro' },
    { measure: 'usd', most: DOLLAR / 2, per: 'week', model: 'tier:guest' },
    { measure: 'concurrent', most: 4, of: 'key' },
    { measure: 'images', most: 5, per: 'month' },
    { measure: 'tokens', most: 100_000, per: 'day', of: 'user' },
  ])
  const key = await gateway.key('free')
  for (let i = 0; i < 2; i++) expect((await gateway.chat(key, { max_tokens: 10 })).status).toBe(200)

  expect((await limitsOf(gateway, key)).slice(SHORT_FORMS)).toEqual([
    limit(
      { measure: 'tokens', per: '30d', limit: 9000 },
      { used: 24, resetAt: expect.stringMatching(/^2026-12-2[12]T/) },
    ),
    limit({ measure: 'output_tokens', per: 'day', model: 'svc-core', limit: 700 }, { used: 6, resetAt: DAY_END }),
    limit({ measure: 'input_tokens', per: 'day', model: 'svc-ultra-pro', limit: 700 }, { used: 0, resetAt: DAY_END }),
    limit({ measure: 'usd', per: 'week', model: 'tier:guest', limit: 0.5 }, { used: 0.000078, resetAt: WEEK_END }),
    limit({ measure: 'images', per: 'month', limit: 5 }, { used: 0, resetAt: MONTH_END }),
    limit({ measure: 'requests', per: 'hour', of: 'key', limit: 50 }, { used: 2, resetAt: HOUR_END }),
    limit({ measure: 'concurrent', per: null, of: 'key', limit: 4 }, { used: 0 }),
    {
      ...{ measure: 'tokens', per: 'day', of: 'user', model: null, limit: 100_000 },
      ...{ used: null, held: null, remaining: null, resetAt: null },
    },
  ])
})

it('says of a request that runs what it holds, and that it runs', async ({ backend, gateway }) => {
  limitPlan(gateway, 'free', [
    { measure: 'output_tokens', most: 700, per: 'day' },
    { measure: 'concurrent', most: 4 },
  ])
  const key = await gateway.key('free')
  backend.next(hang)
  const leaving = new AbortController()
  gateway.chat(key, { max_tokens: 10 }, { signal: leaving.signal }).catch(() => {})
  await backend.received(1)

  expect((await limitsOf(gateway, key)).slice(SHORT_FORMS)).toEqual([
    limit({ measure: 'output_tokens', per: 'day', limit: 700 }, { used: 0, held: 10, resetAt: DAY_END }),
    limit({ measure: 'concurrent', per: null, limit: 4 }, { used: 1 }),
  ])
  leaving.abort()
})

it('usage from before a limit was made counts, as the limit itself would have counted it', async ({ gateway }) => {
  const key = await gateway.key('free')
  expect((await gateway.chat(key, { max_tokens: 10 })).status).toBe(200)
  limitPlan(gateway, 'free', [{ measure: 'tokens', most: 9000, per: 'week' }])

  expect((await limitsOf(gateway, key)).slice(SHORT_FORMS)).toEqual([
    limit({ measure: 'tokens', per: 'week', limit: 9000 }, { used: 12, resetAt: WEEK_END }),
  ])
})

it('lists no limit that accounts of others share, since its count would say what they use', async ({ gateway }) => {
  limitPlan(gateway, 'free', [
    { measure: 'tokens', most: 9000, per: 'week', of: 'plan' },
    { measure: 'usd', most: DOLLAR, per: 'day', of: 'everybody' },
    { measure: 'usd', most: DOLLAR, per: 'day', of: 'org' },
  ])

  expect((await limitsOf(gateway, await gateway.key('free'))).slice(SHORT_FORMS)).toEqual([])
})

it('lists the limits of a guest', async ({ gateway }) => {
  const minted = await fetch(`${gateway.url}/v1/keys/guest`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ device_id: 'device-0001' }),
  })
  const { key } = (await minted.json()) as { key: string }
  limitPlan(gateway, 'guest-device', [{ measure: 'output_tokens', most: 500, per: 'day' }])
  expect((await gateway.chat(key, { max_tokens: 10 })).status).toBe(200)

  expect(await limitsOf(gateway, key)).toEqual([
    limit({ measure: 'requests', per: 'minute', limit: 10 }, { used: 1, resetAt: MINUTE_END }),
    limit({ measure: 'tokens', per: 'minute', limit: 20_000 }, { used: 12, resetAt: MINUTE_END }),
    limit({ measure: 'requests', per: 'day', limit: 5 }, { used: 1, resetAt: DAY_END }),
    limit({ measure: 'usd', per: 'month', limit: 0.5 }, { used: 0.000039, resetAt: MONTH_END }),
    limit({ measure: 'output_tokens', per: 'day', limit: 500 }, { used: 3, resetAt: DAY_END }),
  ])
})

/** The named limits of the plan `free`: rpm, tpm and monthly_usd. */
const SHORT_FORMS = 3

/** The clock of a test stands at 2026-11-21T10:00:00Z, a Saturday. */
const MINUTE_END = '2026-11-21T10:01:01.000Z'
const HOUR_END = '2026-11-21T11:00:00.000Z'
const DAY_END = '2026-11-22T00:00:00.000Z'
const WEEK_END = '2026-11-23T00:00:00.000Z'
const MONTH_END = '2026-12-01T00:00:00.000Z'

interface Shown extends Pick<LimitRule, 'measure' | 'of' | 'model'> {
  readonly per: string | null
  readonly limit: number
}

const limit = (
  { measure, per, of = 'account', model = null as never, limit: most }: Shown,
  { used, held = 0, resetAt = null }: { used: number; held?: number; resetAt?: string | null },
) => ({ measure, per, of, model, limit: most, used, held, remaining: expect.closeTo(most - used - held, 9), resetAt })

async function limitsOf(gateway: TestGateway, key: string): Promise<readonly object[]> {
  const response = await fetch(`${gateway.url}/billing/quota`, { headers: { authorization: `Bearer ${key}` } })
  expect(response.status).toBe(200)
  return ((await response.json()) as { limits: readonly object[] }).limits
}
