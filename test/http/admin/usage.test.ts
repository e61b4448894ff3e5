import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { StoreUnavailable } from '../../../src/gateway/store/store.ts'
import { nanoUsd } from '../../../src/policy/nano-usd.ts'
import type { LedgerRow } from '../../../src/records/ledger-row.ts'
import { admission, claimsOf, settlement } from '../../adapters/store/fixtures.ts'
import { answer, type Backend, startBackend } from '../../support/backend.ts'
import { ADMIN_TOKEN, startTestGateway, type TestGateway } from '../../support/gateway.ts'

const DAY = 86_400_000

let backend: Backend
let test: TestGateway

beforeEach(async () => {
  backend = await startBackend()
  backend.always(answer({ content: 'Hi', usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 } }))
  test = await startTestGateway({ onprem: [backend] })
})

afterEach(async () => {
  vi.restoreAllMocks()
  await test.close()
  await backend.close()
})

const operator = { authorization: `Bearer ${ADMIN_TOKEN}` }
const ask = (path: string, headers: Record<string, string> = operator) => fetch(test.admin + path, { headers })
const usage = async (query: string) => (await (await ask(`/admin/usage${query}`)).json()) as { data: object[] }
const ledger = async (query = '') => {
  const text = await (await ask(`/admin/ledger${query}`)).text()
  return text
    .split('\n')
    .slice(0, -1)
    .map(line => JSON.parse(line))
}
/** `[group, requests, usd]` of every line. */
const brief = async (query: string) =>
  (await usage(query)).data.map(line => {
    const { group, requests, usd } = line as { group: string; requests: number; usd: string }
    return [group, requests, usd]
  })

/** On the 21st ada asks twice, on the 22nd ada once and bob, whose model is dearer, twice. */
async function twoDays() {
  const keys = { ada: await test.key('free', 'ada'), bob: await test.key('pro', 'bob') }
  const serve = async (key: string, body: object) => expect((await test.chat(key, body)).status).toBe(200)
  await serve(keys.ada, { max_tokens: 10 })
  await serve(keys.ada, { max_tokens: 10 })
  test.clock.advance(DAY)
  await serve(keys.ada, { model: 'svc-core', max_tokens: 10 })
  await serve(keys.bob, { model: 'svc-ultra-pro', max_tokens: 2000 })
  await serve(keys.bob, { model: 'svc-ultra-pro', max_tokens: 2000 })
}

const accountOf = async (named: string) =>
  (await test.gateway.store.keys.list()).find(({ label }) => label === named)?.account ?? ''

const keyOf = async (named: string) => (await test.gateway.store.keys.list()).find(({ label }) => label === named)

/** A request of ada's that came by a sign-in. */
async function oneWithoutKey() {
  const account = await accountOf('ada')
  const { keyHash: _none, ...applicant } = admission(
    { keyHash: '', account, terms: { override: 'free' } },
    'req_1',
    claimsOf({ at: test.clock.now() }),
  )
  const answer = await test.gateway.store.holds.admit(applicant)
  if (!('hold' in answer)) throw new Error('it was not admitted')
  return settlement(answer.hold)
}

describe('GET /admin/usage', () => {
  it('adds up whole integers, and shows money as exact decimals too', async () => {
    await twoDays()

    expect(await usage('')).toEqual({
      object: 'list',
      by: 'day',
      since: null,
      data: [
        {
          group: '2026-11-21',
          requests: 2,
          input_tokens: 18,
          cached_tokens: 0,
          cache_write_tokens: 0,
          output_tokens: 6,
          cost_nano_usd: nanoUsd(78_000),
          usd: '0.000078',
        },
        {
          group: '2026-11-22',
          requests: 3,
          input_tokens: 27,
          cached_tokens: 0,
          cache_write_tokens: 0,
          output_tokens: 9,
          cost_nano_usd: nanoUsd(123_000),
          usd: '0.000123',
        },
      ],
      waste: [],
    })
  })

  it('plans, models and accounts stand in the order of what they cost', async () => {
    await twoDays()
    test.clock.advance(DAY)
    for (let i = 0; i < 3; i++) await test.chat(await key('eve', i), { max_tokens: 10 })

    expect(await brief('?by=plan')).toEqual([
      ['free', 6, '0.000234'],
      ['pro', 2, '0.000084'],
    ])
    expect(await brief('?by=model')).toEqual([
      ['svc-core', 6, '0.000234'],
      ['svc-ultra-pro', 2, '0.000084'],
    ])
    expect((await usage('?by=account')).data).toMatchObject([
      { group: await accountOf('ada'), label: 'ada', usd: '0.000117' },
      { group: await accountOf('bob'), label: 'bob', usd: '0.000084' },
      ...['eve0', 'eve1', 'eve2'].map(() => ({ label: expect.stringMatching(/^eve\d$/), usd: '0.000039' })),
    ])
  })

  it('a key stands by itself, and what came by a sign-in or of an older gateway under none', async () => {
    await twoDays()
    await test.gateway.store.holds.settle(await oneWithoutKey())

    const [ada, bob] = await Promise.all(['ada', 'bob'].map(async label => (await keyOf(label))?.id))
    expect(await brief('?by=key')).toEqual([
      [ada, 3, '0.000117'],
      [bob, 2, '0.000084'],
      ['none', 1, '0.00000005'],
    ])
    expect((await usage('?by=key')).data).toMatchObject([{ label: 'ada' }, { label: 'bob' }, {}])
    expect(await brief(`?by=model&key=${bob}`)).toEqual([['svc-ultra-pro', 2, '0.000084']])
    expect(await brief('?by=key&key=ada')).toEqual([[ada, 3, '0.000117']])
    expect((await ask('/admin/usage?key=key_nobody')).status).toBe(404)
  })

  it.each([
    ['?since=2026-11-22', ['2026-11-22']],
    ['?since=1h', ['2026-11-22']],
    // A part of a day counts as the whole day.
    ['?since=11h', ['2026-11-21', '2026-11-22']],
    ['?since=30d', ['2026-11-21', '2026-11-22']],
    ['?since=2026-11-23', []],
    ['?since=999999d', ['2026-11-21', '2026-11-22']],
  ])('%s shows the days %j', async (query, days) => {
    await twoDays()

    expect((await brief(query)).map(([day]) => day)).toEqual(days)
  })

  it('what was wasted stands beside it, by pool and dearest first, also when its rows were removed', async () => {
    await twoDays()
    for await (const row of test.gateway.store.ledger.readRows()) {
      const bill = { ...row, estimated: true, cost: nanoUsd(10) }
      await test.gateway.store.ledger.recordWaste([
        { attempt: 1, bill, cause: 'status 500' },
        { attempt: 2, bill: { ...bill, pool: 'cloud', cost: nanoUsd(1_000_000) }, cause: 'first content timeout' },
      ])
    }
    const settled = (await usage('?by=plan')).data
    const wasted = { input_tokens: 45, output_tokens: 15, attempts: 5 }
    const all = [
      { ...wasted, pool: 'cloud', cost_nano_usd: nanoUsd(5_000_000), usd: '0.005' },
      { ...wasted, pool: 'onprem', cost_nano_usd: nanoUsd(50), usd: '0.00000005' },
    ]

    expect(await usage('')).toMatchObject({ waste: all })
    expect(await usage('?by=account&since=1h')).toMatchObject({
      waste: [{ attempts: 3 }, { attempts: 3, cost_nano_usd: nanoUsd(30) }],
    })
    expect(await usage('?since=2026-11-23')).toMatchObject({ waste: [] })
    expect(await usage('?waste=day')).toMatchObject({
      waste: [
        { day: '2026-11-21', pool: 'cloud', attempts: 2 },
        { day: '2026-11-21', pool: 'onprem', attempts: 2 },
        { day: '2026-11-22', pool: 'cloud', attempts: 3 },
        { day: '2026-11-22', pool: 'onprem', attempts: 3 },
      ],
    })
    expect((await ask('/admin/usage?waste=week')).status).toBe(400)
    expect((await ledger('?account=bob')).map(({ kind, cause }) => [kind, cause])).toEqual(
      Array.from({ length: 2 }, () => [
        ['settle', null],
        ['waste', 'status 500'],
        ['waste', 'first content timeout'],
      ]).flat(),
    )
    await test.gateway.store.ledger.trim(test.clock.now() + 1)
    expect(await usage('?by=plan')).toMatchObject({ data: settled, waste: all })
  })

  it('rows that were removed still count', async () => {
    await twoDays()
    await test.gateway.store.ledger.trim(test.clock.now() + 1)

    expect(await ledger()).toEqual([])
    expect(await brief('?by=plan')).toEqual([
      ['free', 3, '0.000117'],
      ['pro', 2, '0.000084'],
    ])
  })
})

describe('GET /admin/ledger', () => {
  it('gives a row for each request, oldest first, with everything but what was said', async () => {
    await twoDays()

    const response = await ask('/admin/ledger')
    const rows = (await response.text()).trimEnd().split('\n')

    expect(response.headers.get('content-type')).toBe('application/x-ndjson')
    expect(rows).toHaveLength(5)
    expect(JSON.parse(rows[0] ?? '')).toEqual({
      request_id: expect.stringMatching(/^req_/),
      account: await accountOf('ada'),
      plan: 'free',
      asked: '',
      model: 'svc-core',
      pool: 'onprem',
      input_tokens: 9,
      output_tokens: 3,
      cost_nano_usd: nanoUsd(39_000),
      usd: '0.000039',
      kind: 'settle',
      estimated: false,
      admitted_at: '2026-11-21T10:00:00.000Z',
      settled_at: '2026-11-21T10:00:00.000Z',
      revision: test.gateway.app.config.revision,
      route: null,
      tools: null,
      cause: null,
      key: expect.stringMatching(/^key_/),
      tool_costs_nano_usd: null,
      charges: { 'input@1000000': 9, 'output@10000000': 3, 'allowance@1000000000': 1 },
      labels: null,
      billing_day: null,
      mirror: null,
      session: null,
      label: 'ada',
      cached_tokens: 0,
      cache_write_tokens: 0,
      saved_nano_usd: null,
    })
  })

  it('of one account, by its id or its label, gives the rows of no other', async () => {
    await twoDays()
    const ada = await accountOf('ada')

    expect((await ledger('?account=ada')).map(({ account }) => account)).toEqual([ada, ada, ada])
    expect((await ledger(`?account=${ada}`)).map(({ account }) => account)).toEqual([ada, ada, ada])
    expect(await ledger('?account=bob&since=1h')).toHaveLength(2)
    expect(await ledger('?account=ada&since=1h')).toHaveLength(1)
  })

  it('is empty, and no error, where nothing was settled', async () => {
    const response = await ask('/admin/ledger')

    expect([response.status, await response.text()]).toEqual([200, ''])
  })

  it('reads no more rows than its client takes, and none once it has left', async () => {
    let read = 0
    const ended = new Promise<void>(resolve => {
      vi.spyOn(test.gateway.store.ledger, 'readRows').mockImplementation(async function* () {
        try {
          for (;;) {
            read++
            yield row
          }
        } finally {
          resolve()
        }
      })
    })
    const request = get(`${test.admin}/admin/ledger`, { headers: operator })
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    response.pause()
    // Without a pause there would be no turn for this: an endless ledger would fill the memory.
    const stalled = () => {
      const before = read
      return new Promise(resolve => setTimeout(() => resolve(read === before), 100))
    }
    await vi.waitUntil(stalled, { timeout: 60_000 })

    response.destroy()

    await ended
    expect(test.alarms).toEqual([])
  })

  it('says 503 when the store does not answer, and breaks off when it stops answering', async () => {
    vi.spyOn(test.gateway.store.ledger, 'readRows').mockImplementation(failingAfter(0))
    const refused = await ask('/admin/ledger')
    expect([refused.status, await refused.json()]).toMatchObject([503, { code: 'STORE_UNAVAILABLE' }])

    vi.spyOn(test.gateway.store.ledger, 'readRows').mockImplementation(failingAfter(1000))
    const broken = await ask('/admin/ledger')
    expect(broken.status).toBe(200)
    await expect(broken.text()).rejects.toThrow()
    // The client may hear that it breaks off before the gateway has said why.
    await expect.poll(() => test.alarms).toHaveLength(2)
  })
})

it.each([
  ['/admin/usage?by=week', 'by: `week` is not a group; there are day, hour, plan, model, account'],
  ['/admin/usage?by=day,week', 'by: `week` is not a group; there are day'],
  ['/admin/usage?by=day,Week', 'by: must name each group once: day'],
  ['/admin/usage?by=day,day', 'by: must be'],
  ['/admin/usage?by=day,plan&split=model', 'split: needs exactly one group'],
  ['/admin/usage?since=someday', 'since: must be a duration'],
  ['/admin/usage?until=someday', 'until: must be a duration'],
  ['/admin/usage?since=2026-11-02&until=2026-11-02', 'until: must be after since'],
  ['/admin/usage?month=2026-13', 'month: must be a month such as'],
  ['/admin/usage?month=2026-10&since=1d', 'month: cannot be combined with since'],
  ['/admin/usage?since=2026-02-30', 'since: must be'],
  ['/admin/usage?since=', 'since: must be'],
  ['/admin/usage?since=30', 'since: must be'],
  ['/admin/usage?since=1d&since=2d', 'since: is given twice'],
  ['/admin/usage?account=ada', 'account: there is no account `ada`'],
  ['/admin/usage?model=svc-core', 'model: is not accepted; there are since, until, month, by'],
  ['/admin/ledger?since=-1d', 'since: must be'],
  ['/admin/ledger?account=nobody', 'account: there is no account `nobody`'],
  ['/admin/ledger?by=day', 'by: is not accepted; there are since, until, month, account'],
])('%s is a 400 that names the parameter', async (path, problem) => {
  const response = await ask(path)

  expect(response.status).toBe(400)
  expect(await response.json()).toEqual({ error: expect.stringContaining(problem), code: 'VALIDATION_ERROR' })
})

it.each(['/admin/usage', '/admin/ledger'])('%s is for operators alone, on the admin listener alone', async path => {
  const key = { authorization: `Bearer ${await test.key()}` }

  expect((await ask(path, {})).status).toBe(401)
  expect((await ask(path, key)).status).toBe(401)
  expect((await fetch(test.url + path, { headers: key })).status).toBe(404)
})

const key = (name: string, number: number) => test.key('free', `${name}${number}`)

const row: LedgerRow = {
  requestId: 'req_1',
  account: 'acct_1',
  plan: 'free',
  asked: '',
  model: 'svc-core',
  pool: 'onprem',
  inputTokens: 9,
  outputTokens: 3,
  cost: nanoUsd(39_000),
  estimated: false,
  admittedAt: 0,
  settledAt: 0,
  revision: 'abc',
  kind: 'settle',
}

function failingAfter(rows: number) {
  return async function* () {
    for (let i = 0; i < rows; i++) yield row
    throw new StoreUnavailable('gone')
  }
}

it('GET /admin/usage?top= adds up what is not among the dearest, and says how many that are', async () => {
  await twoDays()
  const rowsOf = async (query: string) =>
    (await usage(query)).data.map(line => {
      const { group, groups, label, others, requests } = line as Record<string, unknown>
      return [groups ?? group, label, others, requests].filter(each => each !== undefined)
    })
  const [ada, bob] = [await accountOf('ada'), await accountOf('bob')]

  expect(await rowsOf('?by=day,account&top=1')).toEqual([
    [['2026-11-21', ada], 'ada', 2],
    [['2026-11-22', 'others'], 1, 2],
    [['2026-11-22', ada], 'ada', 1],
  ])
  expect(await rowsOf('?by=account&top=1')).toEqual([
    [ada, 'ada', 3],
    ['others', 1, 2],
  ])
  expect(await rowsOf('?by=account,model&top=9')).toEqual(await rowsOf('?by=account,model'))
  expect(await rowsOf('?by=day,account&top=2')).toContainEqual([['2026-11-22', bob], 'bob', 2])
  expect((await ask('/admin/usage?top=0')).status).toBe(400)
})

it('usage ends before a moment, or is that of a month, of an account or a key', async () => {
  await twoDays()

  expect(await brief('?until=2026-11-22')).toEqual([['2026-11-21', 2, '0.000078']])
  expect(await brief('?since=2026-11-22&until=2026-11-23')).toEqual([['2026-11-22', 3, '0.000123']])
  // A day of which a part is meant is counted whole, as at its beginning.
  expect(await brief('?until=2026-11-22T00:00:01Z')).toHaveLength(2)
  expect(await brief('?month=2026-11&by=plan')).toEqual([
    ['free', 3, '0.000117'],
    ['pro', 2, '0.000084'],
  ])
  expect(await brief('?month=2026-10')).toEqual([])
  expect(await brief('?by=model&account=ada')).toEqual([['svc-core', 3, '0.000117']])
  const id = (await keyOf('bob'))?.id ?? ''
  expect(await brief(`?by=model&account=bob&key=${id}`)).toEqual([['svc-ultra-pro', 2, '0.000084']])
  expect(await brief(`?by=model&account=ada&key=${id}`)).toEqual([])
  expect(await usage('?until=2026-11-22')).toMatchObject({ since: null, until: '2026-11-22' })
})

it('rows end before a moment, and are those of a month or a key', async () => {
  await twoDays()
  const id = (await keyOf('bob'))?.id ?? ''

  expect(await ledger('?until=2026-11-22')).toHaveLength(2)
  expect(await ledger('?month=2026-11')).toHaveLength(5)
  expect(await ledger('?month=2026-10')).toEqual([])
  expect((await ledger(`?key=${id}`)).map(({ label }) => label)).toEqual(['bob', 'bob'])
})

it('usage is added up by several groups, whose parts stand together and name their accounts', async () => {
  await twoDays()
  const [ada, bob] = [await accountOf('ada'), await accountOf('bob')]
  const linesBy = async (by: string) =>
    (await usage(`?by=${by}`)).data.map(line => {
      const { groups, label, requests } = line as { groups: string[]; label?: string; requests: number }
      return [...groups, label, requests]
    })

  expect(await linesBy('account,model')).toEqual([
    [ada, 'svc-core', 'ada', 3],
    [bob, 'svc-ultra-pro', 'bob', 2],
  ])
  expect(await linesBy('model,day')).toEqual([
    ['svc-core', '2026-11-21', undefined, 2],
    ['svc-core', '2026-11-22', undefined, 1],
    ['svc-ultra-pro', '2026-11-22', undefined, 2],
  ])
  expect(await usage('?by=day,plan,account')).toMatchObject({
    by: 'day,plan,account',
    data: [{ group: '2026-11-21' }, {}, {}],
  })
})

it('usage is told apart by two dimensions, and the parts add up to the whole', async () => {
  await twoDays()
  const rows = (await usage('?by=day&split=model')).data as { group: string; split_by: string; cost_nano_usd: number }[]
  const days = (await usage('?by=day')).data as { group: string; cost_nano_usd: number }[]

  expect(rows.map(({ group, split_by }) => [group, split_by])).toEqual([
    ['2026-11-21', 'svc-core'],
    ['2026-11-22', 'svc-ultra-pro'],
    ['2026-11-22', 'svc-core'],
  ])
  for (const { group, cost_nano_usd } of days)
    expect(rows.filter(row => row.group === group).reduce((sum, row) => sum + row.cost_nano_usd, 0)).toBe(cost_nano_usd)
  for (const query of ['?split=pool', '?by=model&split=model'])
    expect((await ask(`/admin/usage${query}`)).status).toBe(400)
})
