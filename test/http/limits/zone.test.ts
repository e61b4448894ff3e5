import { expect } from 'vitest'
import type { TestGateway } from '../../support/gateway.ts'
import { gatewayTest } from '../../support/gateway-test.ts'
import { DOLLAR, limitPlan } from '../../support/limit-rules.ts'

const newYork = gatewayTest.extend('config', { yaml: 'zone: America/New_York' })
const fiscal = gatewayTest.extend('config', { yaml: 'zone: Europe/Berlin\nfiscal_month_starts: 26' })

/** The clock of a test stands at 2026-11-21T10:00:00Z, a Saturday: 05:00 in New York, 11:00 in Berlin. */
const HOUR = 3_600_000

newYork('a day of requests ends at local midnight, to the millisecond', async ({ gateway }) => {
  const key = await gateway.key('tight')
  const send = async (moves: number) => {
    gateway.clock.advance(moves)
    return gateway.chat(key, { max_tokens: 10 })
  }
  for (const moves of [0, 62_000, 62_000]) expect((await send(moves)).status).toBe(200)

  const refused = await send(62_000)
  const { error } = (await refused.json()) as { error: { type: string; message: string; retry_after_ms: number } }
  expect([refused.status, error.type]).toEqual([429, 'daily_limit'])
  expect(error.message).toMatch(/^The account may send 3 requests a day \(America\/New_York\)\. Retry in \d+ h\.$/)
  expect(error.retry_after_ms).toBe(19 * HOUR - 3 * 62_000)

  expect((await send(error.retry_after_ms - 1)).status).toBe(429)
  expect((await send(1)).status).toBe(200)
})

newYork('limits of each window renew by the clock of the zone, and say so in UTC', async ({ gateway }) => {
  limitPlan(gateway, 'free', [
    { measure: 'requests', most: 50, per: 'hour' },
    { measure: 'requests', most: 50, per: 'week' },
    { measure: 'tokens', most: 9000, per: 'month' },
    { measure: 'usd', most: DOLLAR, per: 'quarter' },
  ])
  const key = await gateway.key('free')
  expect((await gateway.chat(key, { max_tokens: 10 })).status).toBe(200)

  const quota = await quotaOf(gateway, key)
  expect(quota.limits.map(({ per, used, resetAt }) => ({ per, used: used > 0, resetAt })).slice(2)).toEqual([
    { per: 'month', used: true, resetAt: '2026-12-01T05:00:00.000Z' },
    { per: 'hour', used: true, resetAt: '2026-11-21T11:00:00.000Z' },
    { per: 'week', used: true, resetAt: '2026-11-23T05:00:00.000Z' },
    { per: 'month', used: true, resetAt: '2026-12-01T05:00:00.000Z' },
    { per: 'quarter', used: true, resetAt: '2027-01-01T05:00:00.000Z' },
  ])
  expect(quota.resetAt).toBe('2026-12-01T05:00:00.000Z')
})

newYork('a spent month names the local day on which it renews, and renews then', async ({ gateway }) => {
  const key = await gateway.key('tight')
  gateway.clock.advance(Date.parse('2026-12-01T04:59:00Z') - gateway.clock.now())
  const spent = await gateway.chat(key, { max_tokens: 2000 })
  const { error } = (await spent.json()) as { error: { code: string; message: string; resetDate: string } }
  expect([spent.status, error.code, error.resetDate]).toEqual([402, 'quota_exceeded', '2026-12-01'])
  expect(error.message).toContain('remain until 2026-12-01 (America/New_York).')

  expect((await gateway.chat(key, { max_tokens: 10 })).status).toBe(200)
  expect(await usedOf(gateway, key)).toBe(0.000039)
  gateway.clock.advance(62_000)
  expect(await usedOf(gateway, key)).toBe(0)
})

newYork('usage counts on the local day of its admission, and reports name the zone', async ({ gateway }) => {
  const key = await gateway.key('free')
  gateway.clock.advance(Date.parse('2026-11-22T04:30:00Z') - gateway.clock.now())
  expect((await gateway.chat(key, { max_tokens: 10 })).status).toBe(200)
  gateway.clock.advance(HOUR)
  expect((await gateway.chat(key, { max_tokens: 10 })).status).toBe(200)

  const usage = await getJson(`${gateway.url}/billing/usage?days=2`, key)
  expect(usage).toMatchObject({
    zone: 'America/New_York',
    since: '2026-11-21',
    until: '2026-11-22',
    data: [
      { day: '2026-11-21', requests: 1 },
      { day: '2026-11-22', requests: 1 },
    ],
  })
  expect((await gateway.ledger()).map(({ day }) => day)).toEqual(['2026-11-21', '2026-11-22'])
})

fiscal('an invoice is for the days of the fiscal month in its zone', async ({ gateway }) => {
  const key = await gateway.key('free')
  expect((await gateway.chat(key, { max_tokens: 10 })).status).toBe(200)
  gateway.clock.advance(Date.parse('2026-11-25T22:30:00Z') - gateway.clock.now())
  expect((await gateway.chat(key, { max_tokens: 10 })).status).toBe(200)
  gateway.clock.advance(HOUR)
  expect((await gateway.chat(key, { max_tokens: 10 })).status).toBe(200)

  gateway.clock.advance(25 * HOUR)
  const [november, december] = await Promise.all(
    ['2026-11', '2026-12'].map(month => getJson(`${gateway.url}/billing/invoices?month=${month}`, key)),
  )
  expect(november).toMatchObject({
    ...{ state: 'issued', zone: 'Europe/Berlin', from: '2026-10-26', to: '2026-11-25' },
    total: { requests: 2 },
    days: [{ name: '2026-11-21' }, { name: '2026-11-25' }],
  })
  expect(december).toMatchObject({ state: 'running', from: '2026-11-26', to: '2026-12-25', total: { requests: 1 } })
})

gatewayTest(
  'an issued invoice stays where the calendar changes, and each day is on one invoice',
  async ({ gateway }) => {
    const key = await gateway.key('free')
    const invoice = (month: string) => getJson(`${gateway.url}/billing/invoices?month=${month}`, key)
    const sendAt = async (moment: string) => {
      gateway.clock.advance(Date.parse(moment) - gateway.clock.now())
      expect((await gateway.chat(key, { max_tokens: 10 })).status).toBe(200)
    }
    await sendAt('2026-11-27T12:00:00Z')
    await sendAt('2026-12-10T12:00:00Z')
    const issued = await invoice('2026-11')
    expect(issued).toMatchObject({ state: 'issued', total: { requests: 1 } })

    await gateway.reload({ yaml: 'zone: Europe/Berlin\nfiscal_month_starts: 26' })
    await sendAt('2026-12-24T12:00:00Z')
    await sendAt('2026-12-28T12:00:00Z')

    expect(await invoice('2026-11')).toEqual(issued)
    expect(await invoice('2026-12')).toMatchObject({
      from: '2026-12-01',
      to: '2026-12-25',
      late: [],
      total: { requests: 2 },
    })
    expect(await invoice('2027-01')).toMatchObject({
      from: '2026-12-26',
      to: '2027-01-25',
      late: [],
      total: { requests: 1 },
    })
  },
)

gatewayTest(
  'a new zone starts new counters with the days of the ledger, and keeps what the month spent',
  async ({ gateway }) => {
    limitPlan(gateway, 'free', [{ measure: 'tokens', most: 9000, per: 'week' }])
    const key = await gateway.key('free')
    expect((await gateway.chat(key, { max_tokens: 10 })).status).toBe(200)

    await gateway.reload({ yaml: 'zone: Europe/Berlin' })
    limitPlan(gateway, 'free', [{ measure: 'tokens', most: 9000, per: 'week' }])
    expect((await gateway.chat(key, { max_tokens: 10 })).status).toBe(200)

    const { limits, used } = await quotaOf(gateway, key)
    expect(limits.at(-1)).toMatchObject({ per: 'week', used: 24, resetAt: '2026-11-22T23:00:00.000Z' })
    expect(used).toBe(0.000078)
  },
)

interface QuotaAnswer {
  readonly used: number
  readonly resetAt: string
  readonly limits: readonly { readonly per: string; readonly used: number; readonly resetAt: string }[]
}

const getJson = async (url: string, key: string): Promise<object> =>
  (await fetch(url, { headers: { authorization: `Bearer ${key}` } })).json() as Promise<object>

const quotaOf = (gateway: TestGateway, key: string) =>
  getJson(`${gateway.url}/billing/quota`, key) as Promise<QuotaAnswer>

const usedOf = async (gateway: TestGateway, key: string): Promise<number> => (await quotaOf(gateway, key)).used
