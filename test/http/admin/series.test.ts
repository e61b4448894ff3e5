import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ShownPoolSeries, ShownSeries } from '../../../src/wire/admin/series.ts'
import { answer, type Backend, startBackend, status, stream } from '../../support/backend.ts'
import { ADMIN_TOKEN, startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { describeRedis, type RedisServer, startRedis } from '../../support/redis/redis.ts'

const USAGE = { prompt_tokens: 900, completion_tokens: 300, total_tokens: 1200 }
const COST = 'cost_usd_per_1m: { input: 3, output: 7 }'

let backend: Backend
beforeEach(async () => {
  backend = await startBackend()
  backend.always(answer({ content: 'Hi', usage: USAGE }))
})
afterEach(() => backend.close())

const ask = (test: TestGateway, path: string) =>
  fetch(test.admin + path, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } })
const series = async (test: TestGateway, query = '') =>
  (await (await ask(test, `/admin/series${query}`)).json()) as ShownSeries

/** The sum of all series of a metric whose labels have these texts. */
async function metric(test: TestGateway, name: string, ...has: readonly string[]): Promise<number> {
  const lines = (await (await ask(test, '/metrics')).text()).split('\n')
  return lines
    .filter(line => new RegExp(`^${name}(\\{| )`).test(line) && has.every(text => line.includes(text)))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0)
}

async function serveAll(test: TestGateway, account = 'ada'): Promise<void> {
  const key = await test.key('pro', account)
  const said = async (body: object, as = key) => (await test.chat(as, body)).text()
  await said({ max_tokens: 400 })
  await said({ max_tokens: 400, model: 'svc-core' })
  backend.next(stream({ chunks: ['Hi'], usage: USAGE }))
  await said({ stream: true, max_tokens: 400 })
  backend.next(status(400))
  await said({ max_tokens: 400 })
  await said({ model: 'made-up' })
  await test.logged(5)
}

/** All that is shown agrees with what Prometheus reads, and with the ledger, which `svcctl usage` shows. */
async function expectAgreement(test: TestGateway): Promise<void> {
  const { total, models, pools } = await series(test)
  const requests = await metric(test, 'svc_requests_total')
  expect(total.requests).toBe(requests)
  expect(total.served).toBe(await metric(test, 'svc_requests_total', 'code="200"'))
  expect(total.served + total.refused + total.failed + total.left).toBe(requests)
  expect(models.reduce((sum, each) => sum + each.requests, 0)).toBe(requests)
  const attempts = await metric(test, 'svc_upstream_attempts_total')
  expect(pools.reduce((sum, each) => sum + each.requests, 0)).toBe(attempts)
  const tokens = ['input', 'output'].map(type => metric(test, 'svc_tokens_total', `type="${type}"`))
  expect([total.input_tokens, total.output_tokens]).toEqual(await Promise.all(tokens))
  const usage = (await (await ask(test, '/admin/usage?by=day')).json()) as { data: readonly { usd: string }[] }
  const usd = usage.data.reduce((sum, line) => sum + Number(line.usd), 0)
  expect(total.cost_nano_usd).toBe(Math.round(usd * 1e9))
  expect(total.cost_nano_usd).toBe(Math.round((await metric(test, 'svc_spend_usd_total')) * 1e9))
}

function contract(start: () => Promise<TestGateway>): void {
  it('the series add up to what /metrics and the ledger say', async () => {
    const test = await start()
    await serveAll(test)
    await expectAgreement(test)
    await test.close()
  })

  it('they go on over a reload and a restart, of all models, and of one model or pool', async () => {
    let test = await start()
    await serveAll(test)
    await test.gateway.reload('a test')
    const before = await series(test)
    expect(before.total.served).toBeGreaterThan(2)
    test = await test.restart()
    await serveAll(test, 'bob')
    const after = await series(test)
    expect(after.total.requests).toBe(2 * before.total.requests)
    expect(after.total.cost_nano_usd).toBe(2 * before.total.cost_nano_usd)
    expect(after.data).toHaveLength(60)
    const ofModels = await Promise.all(after.models.map(({ name }) => series(test, `?model=${name}`)))
    expect(ofModels.map(({ total }) => total.requests)).toEqual(after.models.map(({ requests }) => requests))
    const onprem = await series(test, '?pool=onprem')
    expect(onprem.total.requests).toBe(after.pools.find(({ name }) => name === 'onprem')?.requests)
    expect(onprem.total.p95_ms).not.toBeNull()
    expect(onprem.total.first_token_p95_ms).not.toBeNull()
    const all = (await (await ask(test, '/admin/series/pools')).json()) as ShownPoolSeries
    expect(all.data.map(({ pool }) => pool)).toEqual(after.pools.map(({ name }) => name))
    const shown = all.data.find(({ pool }) => pool === 'onprem')
    const { requests, failed, p50_ms, p95_ms, first_token_p50_ms, first_token_p95_ms } = onprem.total
    expect(shown?.total).toEqual({ requests, failed, p50_ms, p95_ms, first_token_p50_ms, first_token_p95_ms })
    expect(shown?.points).toEqual(
      onprem.data.map(({ at, ...point }) => ({ at, requests: point.requests, failed: point.failed })),
    )
    await test.close()
  })
}

describe('of the embedded store', () => {
  contract(() => startTestGateway({ onprem: [backend], fields: { onprem: COST } }))

  it('an hour has a point for each minute, and a day as many as it has steps', async () => {
    const test = await startTestGateway({ onprem: [backend] })
    await serveAll(test)
    await series(test)
    test.clock.advance(5 * 60_000)
    const hour = await series(test)
    expect(hour.data.map(({ requests }) => requests).slice(-7)).toEqual([0, hour.total.requests, 0, 0, 0, 0, 0])
    const day = await series(test, '?minutes=1440&step=5')
    expect(day.step_seconds).toBe(300)
    expect(day.data.length).toBeGreaterThanOrEqual(288)
    expect(day.total).toEqual(hour.total)
    test.clock.advance(24 * 3_600_000)
    expect((await series(test, '?minutes=1440')).total.requests).toBe(0)
    await test.close()
  })

  it.each(['minutes=0', 'step=61', 'pool=a'])('of pools %s is refused', async query => {
    const test = await startTestGateway({ onprem: [backend] })
    expect((await ask(test, `/admin/series/pools?${query}`)).status).toBe(400)
    await test.close()
  })

  it.each(['minutes=0', 'minutes=1441', 'step=61', 'minutes=x', 'model=a&pool=b', 'by=model'])(
    '%s is refused with what it must be',
    async query => {
      const test = await startTestGateway({ onprem: [backend] })
      expect((await ask(test, `/admin/series?${query}`)).status).toBe(400)
      await test.close()
    },
  )
})

describeRedis('of Redis', () => {
  let redis: RedisServer
  beforeEach(async () => {
    redis = await startRedis()
  })
  afterEach(() => redis.stop())
  const start = () => startTestGateway({ onprem: [backend], fields: { onprem: COST }, redis })
  contract(start)

  it('each gateway shows what all of them served', async () => {
    const [one, other] = [await start(), await start()]
    const key = await one.key('pro', 'cy')
    for (const gateway of [one, other, other]) await (await gateway.chat(key, { max_tokens: 400 })).text()
    await one.logged(1)
    await other.logged(2)
    await series(one)
    await series(other)
    expect((await series(one)).total.served).toBe(3)
    expect(await series(one)).toMatchObject({ total: (await series(other)).total })
    await one.close()
    await other.close()
  })
})
