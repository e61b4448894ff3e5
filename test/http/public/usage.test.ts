import { expect } from 'vitest'
import { newRequestId } from '../../../src/gateway/accounts/keys.ts'
import { admit, claimsOf, settlement } from '../../adapters/store/fixtures.ts'
import { inNpmTest } from '../../lanes/lane.ts'
import type { TestGateway } from '../../support/gateway.ts'
import { gatewayTest, gatewayTestOn } from '../../support/gateway-test.ts'
import { describeRedis, type RedisServer, startRedis } from '../../support/redis/redis.ts'
import { outcomeOf, send } from '../calls.ts'

inNpmTest.describe('with the embedded store', () => usageWith(async () => undefined))
describeRedis('with Redis', () => {
  usageWith(startRedis)

  // Redis looks for the names of the files on days that have more sums.
  gatewayTestOn(startRedis)(
    'a month has the models that the files lack by now, as its invoice has',
    async ({ gateway }) => {
      const key = await gateway.key('pro')
      const { store } = gateway.gateway
      const [{ hash: keyHash, account, terms } = fail('no key')] = await store.keys.list()
      const at = gateway.clock.now()
      const charge = async (number: number) => {
        const id = newRequestId(at + number, size => Buffer.alloc(size))
        const { bill, ...settled } = settlement(
          await admit(store, { keyHash, account, terms }, id, claimsOf({ at, rpm: 10_000 })),
        )
        await store.holds.settle({ ...settled, bill: { ...bill, model: `svc-gone-${number}` } })
      }
      await Promise.all(Array.from({ length: MANY }, (_, number) => charge(number)))

      const month = day(gateway).slice(0, 7)
      for (const query of ['?month=this', `?month=${month}`])
        expect((await usage(gateway, key, query)).data).toHaveLength(MANY)
      const invoice = await send(gateway, `GET /billing/invoices?month=${month}`, { token: key })
      expect(invoice.body).toMatchObject({ total: { requests: MANY } })
      expect((await usage(gateway, key, '?month=last')).data).toEqual([])
    },
  )
})

/** More sums of a day than Redis reads without looking for names. */
const MANY = 520

const fail = (problem: string): never => {
  throw new Error(problem)
}

const DAY = 86_400_000

const usage = async (gateway: TestGateway, token: string, query = '') =>
  (await send(gateway, `GET /billing/usage${query}`, { token })).body as { data: { key: string | null }[] }
const day = ({ clock }: TestGateway, before = 0) => new Date(clock.now() - before * DAY).toISOString().slice(0, 10)

function usageWith(startStore: () => Promise<RedisServer | undefined>): void {
  const it = gatewayTestOn(startStore)

  it('the rows of an account are its own, by model and key, and add up to its ledger', async ({ gateway }) => {
    const key = await gateway.key('pro')
    const other = await gateway.key('pro', 'bob')
    for (const model of ['svc-core', 'svc-core', 'svc-ultra-pro'])
      expect((await gateway.chat(key, { model, max_tokens: 2000 })).status).toBe(200)
    expect((await gateway.chat(other, { max_tokens: 10 })).status).toBe(200)

    const found = await usage(gateway, key)

    const of = (model: string, requests: number, nano: number, usd: string) => ({
      ...{ day: day(gateway), model, plan: 'pro', key: expect.stringMatching(/^key_/) },
      ...{ requests, input_tokens: 9 * requests, output_tokens: 3 * requests },
      ...{ cached_tokens: 0, cache_write_tokens: 0, cost_nano_usd: nano, usd },
    })
    expect(found).toEqual({
      object: 'list',
      unit: 'usd',
      since: day(gateway, 29),
      until: day(gateway),
      days: 30,
      data: [of('svc-core', 2, 78_000, '0.000078'), of('svc-ultra-pro', 1, 42_000, '0.000042')],
    })
    expect((await usage(gateway, other)).data).toHaveLength(1)
  })

  it('days are as many as asked for, of which the last is today', async ({ gateway }) => {
    const key = await gateway.key()

    expect(await usage(gateway, key, '?days=1')).toMatchObject({
      since: day(gateway),
      until: day(gateway),
      days: 1,
      data: [],
    })
    expect(await usage(gateway, key, '?days=90')).toMatchObject({
      since: day(gateway, 89),
      until: day(gateway),
      days: 90,
    })
  })
}

inNpmTest.describe('refused:', () => {
  gatewayTest.for(['?days=0', '?days=91', '?days=1.5', '?days=', '?days=all', '?since=30d', '?days=1&days=2'])(
    '%s',
    async (query, { gateway }) => {
      const told = await send(gateway, `GET /billing/usage${query}`, { token: await gateway.key() })

      expect(outcomeOf(told)).toBe('400 VALIDATION_ERROR')
    },
  )
})
