import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { UsageReport } from '../../../src/wire/admin/usage-report.ts'
import { answer, type Backend, startBackend } from '../../support/backend.ts'
import { ADMIN_TOKEN, startTestGateway, type TestGateway, type TestPools } from '../../support/gateway.ts'
import { describeRedis, type RedisServer, startRedis } from '../../support/redis/redis.ts'

const HOUR = 3_600_000

let backend: Backend
beforeEach(async () => {
  backend = await startBackend()
  backend.always(answer({ content: 'Hi', usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 } }))
})
afterEach(() => backend.close())

const ask = (test: TestGateway, query: string) =>
  fetch(`${test.admin}/admin/usage?${query}`, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } })
const usage = async (test: TestGateway, query: string) => (await (await ask(test, query)).json()) as UsageReport

/** At 10:00 ada asks twice; at 11:00 ada once, and bob, whose model is dearer; at 13:00 ada. */
async function fourHours(test: TestGateway): Promise<void> {
  const [ada, bob] = [await test.key('free', 'ada'), await test.key('pro', 'bob')]
  const serve = async (key: string, body: object) => expect((await test.chat(key, body)).status).toBe(200)
  await serve(ada, { max_tokens: 10 })
  await serve(ada, { max_tokens: 10 })
  test.clock.advance(HOUR)
  await serve(ada, { max_tokens: 10 })
  await serve(bob, { model: 'svc-ultra-pro', max_tokens: 2000 })
  test.clock.advance(2 * HOUR)
  await serve(ada, { max_tokens: 10 })
}

function contract(start: () => Promise<TestGateway>): void {
  it('hours add up to the sums of the day, by themselves and by every other group', async () => {
    const test = await start()
    await fourHours(test)

    for (const by of ['day', 'plan', 'model', 'account', 'key']) {
      const days = await usage(test, `by=${by}`)
      const { data } = await usage(test, `by=hour,${by}`)
      for (const { group, ...sums } of days.data) {
        const own = data.filter(({ groups }) => groups?.[1] === group)
        const sum = (field: 'requests' | 'input_tokens' | 'output_tokens' | 'cost_nano_usd') =>
          own.reduce((total, row) => total + row[field], 0)
        expect([by, sum('requests'), sum('input_tokens'), sum('output_tokens'), sum('cost_nano_usd')]).toEqual([
          ...[by, sums.requests, sums.input_tokens, sums.output_tokens, sums.cost_nano_usd],
        ])
      }
    }
    await test.close()
  })
}

describe('of the embedded store', () => {
  const start = (more: Partial<TestPools> = {}) => startTestGateway({ onprem: [backend], ...more })
  contract(start)

  it('the last 48 hours are asked for, or those of one account or between two moments, the dearest by themselves', async () => {
    const test = await start()
    await fourHours(test)

    const hours = await usage(test, 'by=hour')
    expect(hours).toMatchObject({ by: 'hour', since: '2026-11-19T14:00Z' })
    expect(hours.data.map(({ group, requests }) => [group, requests])).toEqual([
      ['2026-11-21T10:00Z', 2],
      ['2026-11-21T11:00Z', 2],
      ['2026-11-21T13:00Z', 1],
    ])
    const groups = async (query: string) =>
      (await usage(test, query)).data.map(({ groups: all, group, requests }) => [...(all ?? [group]), requests])
    expect(await groups('by=hour&account=bob')).toEqual([['2026-11-21T11:00Z', 1]])
    expect(await groups('by=hour&since=2026-11-21T11:00Z&until=2026-11-21T12:30Z')).toEqual([['2026-11-21T11:00Z', 2]])
    expect(await groups('by=hour,model&top=1&since=119m')).toEqual([
      ['2026-11-21T11:00Z', 'others', 1],
      ['2026-11-21T11:00Z', 'svc-core', 1],
      ['2026-11-21T13:00Z', 'svc-core', 1],
    ])
    await test.close()
  })

  it.each([
    ['by=hour&since=49h', 'since: may go back at most 48 hours when grouped by hour'],
    ['by=hour&month=2026-11', 'since: may go back at most 48 hours when grouped by hour'],
    ['by=day&waste=hour', 'waste: must be day, or hour if usage is by hour'],
  ])('%s is refused with what it must be', async (query, problem) => {
    const test = await start()
    const response = await ask(test, query)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: expect.stringContaining(problem) })
    await test.close()
  })

  it('hours whose rows are removed are left out, and counted', async () => {
    const test = await start({ yaml: 'ledger: { keep: 1d }' })
    await fourHours(test)

    expect(await usage(test, 'by=hour')).toMatchObject({ since: '2026-11-20T13:00Z', hours_left_out: 23 })
    expect(await usage(test, 'by=hour&since=3h')).not.toHaveProperty('hours_left_out')
    await test.close()
  })
})

describeRedis('of Redis', () => {
  let redis: RedisServer
  beforeEach(async () => {
    redis = await startRedis()
  })
  afterEach(() => redis.stop())
  contract(() => startTestGateway({ onprem: [backend], redis }))
})
