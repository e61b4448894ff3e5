import { afterEach, describe, expect, it } from 'vitest'
import type { LedgerRow } from '../../../src/records/ledger-row.ts'
import { contextTooLong, hang, status, streamThenReset } from '../../support/backend.ts'
import { ADMIN_TOKEN, type TestGateway } from '../../support/gateway.ts'
import { type Family, itParses, parse, valuesOf } from '../../support/prometheus.ts'
import { describeRedis, useRedis } from '../../support/redis/redis.ts'
import { call, says, Tools } from '../tools/fixture.ts'

const USAGE = { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 }
const COST = 'cost_usd_per_1m: { input: 3, output: 7 }'
const MADE_UP = 'a-name-that-a-client-made-up'

let tools: Tools
afterEach(() => tools.close())

async function start(pools: Parameters<typeof Tools.start>[0] = {}): Promise<TestGateway> {
  tools = await Tools.start({
    fields: { onprem: COST },
    yaml: 'routes: [{ name: urgent, when: { mentions: [urgent] }, use: svc-ultra-pro }]',
    ...pools,
  })
  for (const backend of [tools.backend, tools.cloud]) backend.always(says({ content: 'Hi there', usage: USAGE }))
  return tools.test
}

const scrape = (test: TestGateway, authorization = `Bearer ${ADMIN_TOKEN}`) =>
  fetch(`${test.admin}/metrics`, { headers: { authorization } })

async function read(test: TestGateway): Promise<readonly Family[]> {
  const response = await scrape(test)
  expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
  return parse(await response.text())
}

/** All the ways to cost something, or nothing. */
async function script(test: TestGateway): Promise<number> {
  const { key, backend } = tools
  const said = async (body: object, as = key) => (await test.chat(as, body)).text()
  await said({ max_tokens: 5 })
  await said({ stream: true })
  await said({ messages: [{ role: 'user', content: 'urgent!' }] })
  await said({ model: 'svc-core', max_tokens: 7 })
  // Estimated, and cut.
  backend.next(says({ content: 'no usage' }))
  await said({})
  backend.next(streamThenReset({ chunks: ['Hel', 'lo'] }))
  await said({ stream: true })
  // Failed, then answered elsewhere: waste.
  backend.next(status(408))
  await said({})
  // A hosted tool.
  backend.next(says({ content: null, calls: [call('search', { q: 'x' })], usage: USAGE }))
  await said({ tools: [{ type: 'hosted', name: 'search' }] })
  // Refused, at every stage.
  await said({ model: MADE_UP })
  await said({ model: 'svc-ultra-pro' }, await test.key('free', 'bea'))
  const tight = await test.key('tight', 'cem')
  for (let n = 0; n < 3; n++) await said({ max_tokens: 3 }, tight)
  await said({}, `${key.slice(0, -3)}abc`)
  // Left by its client.
  const leaving = new AbortController()
  const seen = backend.requests.length
  backend.next(hang)
  const left = test.chat(key, { stream: true }, { signal: leaving.signal }).catch(() => {})
  await backend.received(seen + 1)
  leaving.abort()
  await left
  // Nobody answers: nobody pays.
  backend.next(contextTooLong)
  await said({})
  return 16
}

/** The log of the script: the backend of the client that left has some seconds to report its usage. */
async function ran(test: TestGateway) {
  return test.clock.during(test.logged(await script(test)), 100)
}

const key = (...parts: (string | number)[]): string => parts.join(' ')

function sumsOf(rows: readonly LedgerRow[], nameOf: (row: LedgerRow) => string, of: (row: LedgerRow) => number) {
  const sums: Record<string, number> = {}
  for (const row of rows) sums[nameOf(row)] = (sums[nameOf(row)] ?? 0) + of(row)
  return sums
}

const usd = (sums: Record<string, number>) =>
  Object.fromEntries(Object.entries(sums).map(([name, nano]) => [name, nano / 1e9]))

async function expectLedger(test: TestGateway): Promise<void> {
  const families = await read(test)
  const rows = await test.ledger()
  const charged = rows.filter(({ kind }) => kind !== 'waste')
  const wasted = rows.filter(({ kind }) => kind === 'waste')
  expect(wasted.length).toBeGreaterThan(0)
  expect(charged.some(({ estimated }) => estimated)).toBe(true)
  expect(charged.some(({ tools }) => tools)).toBe(true)

  const who = ({ model, plan }: LedgerRow) => key(model, plan)
  const one = () => 1
  expect(valuesOf(families, 'svc_ledger_rows_total')).toEqual(
    sumsOf(rows, ({ model, plan, kind }) => key(model, plan, kind), one),
  )
  expect(valuesOf(families, 'svc_charged_requests_total')).toEqual(sumsOf(charged, who, one))
  expect(valuesOf(families, 'svc_tokens_total')).toEqual({
    ...sumsOf(
      charged,
      row => `${who(row)} input`,
      row => row.inputTokens,
    ),
    ...sumsOf(
      charged,
      row => `${who(row)} output`,
      row => row.outputTokens,
    ),
  })
  expect(valuesOf(families, 'svc_spend_usd_total')).toEqual(usd(sumsOf(charged, who, ({ cost }) => cost)))
  const pool = (row: LedgerRow) => row.pool
  expect(valuesOf(families, 'svc_wasted_usd_total')).toEqual(usd(sumsOf(wasted, pool, ({ cost }) => cost)))
  expect(valuesOf(families, 'svc_wasted_attempts_total')).toEqual(sumsOf(wasted, pool, one))
  expect(valuesOf(families, 'svc_tool_calls_total')).toEqual({ search: 1 })
}

describe('GET /metrics', () => {
  itParses('after a scripted run equals the ledger, to the last nano-dollar', async () => {
    const test = await start()
    await ran(test)

    await expectLedger(test)
  })

  itParses('counts every request as its line of the log tells it', async () => {
    const test = await start()
    const log = await ran(test)
    const families = await read(test)

    const counted: Record<string, number> = {}
    for (const [labels, value] of Object.entries(valuesOf(families, 'svc_requests_total'))) {
      const code = labels.split(' ').at(-1) ?? ''
      counted[code] = (counted[code] ?? 0) + value
    }
    const logged: Record<string, number> = {}
    for (const { status } of log) logged[status] = (logged[status] ?? 0) + 1
    expect(counted).toEqual(logged)
    expect(valuesOf(families, 'svc_denied_total')).toEqual({
      INVALID_KEY: 1,
      'rate_limit_exceeded:plan_limit': 1,
      'rate_limit_exceeded:requests': 1,
      VALIDATION_ERROR: 2,
    })
    expect(valuesOf(families, 'svc_smart_routes_total')).toEqual({ urgent: 1 })
    const attempts = Object.entries(valuesOf(families, 'svc_upstream_attempts_total'))
    const of = (outcome: string) =>
      attempts.filter(([labels]) => labels.endsWith(` ${outcome}`)).reduce((sum, [, value]) => sum + value, 0)
    expect([of('interrupted'), of('status'), of('rejected'), of('left')]).toEqual([1, 1, 1, 1])
    expect(attempts.reduce((sum, [, value]) => sum + value, 0)).toBe(
      tools.backend.requests.length + tools.cloud.requests.length,
    )
    expect(Object.values(valuesOf(families, 'svc_time_to_first_token_seconds_count'))).toEqual([2])
  })

  itParses('has labels of the files and the code only: no key, no account, no name that a client made up', async () => {
    const test = await start()
    await ran(test)
    const text = await (await scrape(test)).text()
    const accounts = new Set((await test.ledger()).map(({ account }) => account))

    for (const word of [MADE_UP, tools.key, tools.key.slice(0, 8), ...accounts]) expect(text).not.toContain(word)
    const labels = new Set(parse(text).flatMap(({ samples }) => samples.flatMap(({ labels }) => Object.keys(labels))))
    expect([...labels].sort()).toEqual(
      [
        'code',
        'kind',
        'le',
        'measure',
        'model',
        'of',
        'outcome',
        'per',
        'plan',
        'pool',
        'reason',
        'replica',
        'request',
        'revision',
        'route',
        'source',
        'tool',
        'type',
      ].sort(),
    )
    expect(valuesOf(parse(text), 'svc_requests_total')).toHaveProperty(['other pro 400'], 1)
  })

  itParses('tells how replicas are, and what serves', async () => {
    const test = await start()
    const { backend } = tools
    const leaving = new AbortController()
    backend.next(hang)
    const left = test.chat(tools.key, {}, { signal: leaving.signal }).catch(() => {})
    await backend.received(1)
    const families = await read(test)
    leaving.abort()
    await left

    expect(valuesOf(families, 'svc_upstream_in_flight')).toMatchObject({ [key('onprem', backend.url)]: 1 })
    expect(valuesOf(families, 'svc_upstream_up')).toEqual({
      [key('onprem', backend.url)]: 1,
      [key('cloud', tools.cloud.url)]: 1,
    })
    expect(valuesOf(families, 'svc_pool_up')).toEqual({ onprem: 1, cloud: 1 })
    expect(valuesOf(families, 'svc_store_up')).toEqual({ '': 1 })
    expect(valuesOf(families, 'svc_config_info')).toEqual({ [test.gateway.app.config.revision]: 1 })
    expect(valuesOf(families, 'svc_config_reload_success_timestamp_seconds')).toEqual({ '': test.clock.now() / 1000 })
    expect(valuesOf(families, 'svc_requests_under_way')).toEqual({ '': 1 })
  })

  itParses('says that a pool gets no requests while none of its replicas does', async () => {
    const test = await start()
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ pool: 'onprem' })

    await fetch(`${test.admin}/admin/pools/drain`, { method: 'POST', headers, body })
    const families = await read(test)

    expect(valuesOf(families, 'svc_pool_up')).toEqual({ onprem: 0, cloud: 1 })
  })

  itParses('goes on counting after a reload, also what is named no more', async () => {
    const test = await start()
    await (await test.chat(tools.key, { model: 'svc-core' })).text()
    const before = valuesOf(await read(test), 'svc_tokens_total')
    const reloaded = await test.reload({}, yaml => yaml.replaceAll('svc-core', 'svc-heart'))
    await (await test.chat(tools.key, { model: 'svc-heart' })).text()
    const after = await read(test)

    expect(reloaded).not.toHaveProperty('denial')
    expect(valuesOf(after, 'svc_tokens_total')).toEqual({
      ...before,
      'svc-heart pro input': 9,
      'svc-heart pro output': 3,
    })
    expect(valuesOf(after, 'svc_config_reloads_total')).toEqual({ ok: 1, failed: 0 })
  })

  it('is for operators, and for whoever has its token, until a reload says it is for all', async () => {
    const token = 'scrapes-and-nothing-else-1'
    const test = await start({ env: { CLOUD_KEY: 'k', TOKEN: token }, yaml: `metrics: { token: "\${TOKEN}" }` })
    const asked = async (authorization: string) => (await scrape(test, authorization)).status

    expect([await asked(''), await asked('Bearer no'), await asked(`Bearer ${tools.key}`)]).toEqual([401, 401, 401])
    expect([await asked(`Bearer ${token}`), await asked(`Bearer ${ADMIN_TOKEN}`)]).toEqual([200, 200])
    const other = await fetch(`${test.admin}/admin/usage`, { headers: { authorization: `Bearer ${token}` } })
    expect(other.status).toBe(401)
    expect((await fetch(`${test.url}/metrics`)).status).toBe(404)
    await test.reload({}, yaml => yaml.replace('metrics: {', 'metrics: { public: true,'))
    expect(await asked('')).toBe(200)
  })
})

describeRedis('with Redis, whose scripts write the ledger', () => {
  const redis = useRedis()

  itParses('metrics equal the ledger too', async () => {
    const test = await start({ redis: redis() })
    await ran(test)

    await expectLedger(test)
  })
})
