import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { answer, type Backend, startBackend } from '../../support/backend.ts'
import { ADMIN_TOKEN, startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { outcomeOf, send } from '../calls.ts'

let backend: Backend
let test: TestGateway

beforeEach(async () => {
  backend = await startBackend()
  backend.always(answer({ content: 'Hi', usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 } }))
  test = await startTestGateway({ onprem: [backend] })
})

afterEach(async () => {
  await test.close()
  await backend.close()
})

const ask = (path: string, token: string = ADMIN_TOKEN) => send({ url: test.admin }, `GET ${path}`, { token })
const bodyOf = async <Body>(path: string) => (await ask(path)).body as Body
/** In a millisecond of its own. */
const chat = (key: string, body: object) => {
  test.clock.advance(1)
  return test.clock.during(test.chat(key, body))
}

it.each([
  '/admin/whoami',
  '/admin/matrix',
  '/admin/alarms',
  '/admin/incidents',
  '/admin/requests',
  '/admin/audit?order=desc',
])('%s is for operators alone', async path => {
  expect(outcomeOf(await ask(path, await test.key()))).toBe('401 INVALID_TOKEN')
})

it('GET /admin/whoami says who asks, and what answers', async () => {
  expect(await bodyOf('/admin/whoami')).toEqual({
    ...{
      by: 'operator',
      role: 'admin',
      via: 'token',
      version: expect.stringMatching(/^\d+\.\d+/),
      gateway: expect.stringMatching(/:\d+$/),
    },
    ...{ revision: test.gateway.app.config.revision, number: 1, generation: 1, store: 'embedded', store_state: 'ok' },
    ...{ decisions: true, identity: false, started_at: '2026-11-21T10:00:00.000Z', feed_readers: 0 },
  })
})

it('GET /admin/matrix has the entry that includes a model, and the limits of each plan', async () => {
  const { data, plans } = await bodyOf<{ data: object[]; plans: object[] }>('/admin/matrix')

  expect(data.find(row => 'plan' in row && row.plan === 'free')).toMatchObject({
    models: {
      'svc-core': { by: 'tier:guest', at: expect.stringMatching(/^config\.yaml:\d+:\d+$/) },
      'svc-embed': null,
    },
  })
  expect(plans).toContainEqual({
    ...{ plan: 'tight', rpm: 2, tpm: 10_000, per_day: 3, max_concurrent: 1, monthly_usd: '0.01', overage: 'off' },
    at: expect.stringMatching(/^config\.yaml:\d+:3$/),
    list: [
      ['requests per minute', '2 requests a minute'],
      ['tokens per minute', '10,000 tokens a minute'],
      ['requests per day', '3 requests a day (UTC)'],
      ['concurrent', '1 request at once'],
      ['usd per month', '$0.01 a month (UTC)'],
    ].map(([limit, text]) => ({ limit, text, at: expect.stringMatching(/^config\.yaml:\d+:\d+$/) })),
  })
})

describe('GET /admin/requests', () => {
  const idsOf = async (query: string) =>
    (await bodyOf<{ data: { request_id: string }[] }>(`/admin/requests${query}`)).data.map(each => each.request_id)

  it('has the newest of all accounts, and can be narrowed', async () => {
    const [ada, bob] = [await test.key('free', 'ada'), await test.key('pro', 'bob')]
    await chat(ada, { max_tokens: 10 })
    await chat(bob, { model: 'svc-ultra-pro', max_tokens: 2000 })
    await chat(ada, { model: 'svc-ultra-pro', max_tokens: 10 })
    const [first, second, third] = (await test.logged(3)).map(({ requestId }) => requestId)

    expect(await idsOf('')).toEqual([third, second, first])
    expect(await idsOf('?account=ada')).toEqual([third, first])
    expect(await idsOf('?status=4xx')).toEqual([third])
    expect(await idsOf('?status=200&plan=pro')).toEqual([second])
    expect(await idsOf('?code=plan_limit')).toEqual([third])
    expect(await idsOf('?model=svc-core&pool=onprem')).toEqual([first])
    expect(await idsOf('?limit=1')).toEqual([third])
    expect(await idsOf(`?limit=1&before=${third}`)).toEqual([second])
    expect(await bodyOf('/admin/requests?limit=2')).toMatchObject({ next: second, since: '2026-11-21T10:00:00.000Z' })
  })

  it('says of one what the log says, without what its client was sent', async () => {
    const key = await test.key('free')
    await chat(key, { model: 'svc-ultra-pro', max_tokens: 10 })
    await test.logged(1)

    const { data } = await bodyOf<{ data: object[] }>('/admin/requests')

    expect(data).toEqual([
      {
        ...{ event: 'request', request_id: expect.any(String), at: expect.any(String), method: 'POST' },
        ...{ path: '/v1/chat/completions', status: 429, ms: expect.any(Number), account: expect.any(String) },
        ...{ plan: 'free', asked: 'svc-ultra-pro', code: 'rate_limit_exceeded', type: 'plan_limit' },
      },
    ])
  })

  it('one of them has its rows in the ledger, also where another process served it', async () => {
    await chat(await test.key('free'), { max_tokens: 10 })
    const [{ requestId } = { requestId: '' }] = await test.logged(1)
    const row = { request_id: requestId, kind: 'settle', model: 'svc-core', usd: '0.000039' }

    expect(await bodyOf(`/admin/requests/${requestId}`)).toMatchObject({ request: { status: 200 }, ledger: [row] })
    test = await test.restart()
    expect(await bodyOf(`/admin/requests/${requestId}`)).toMatchObject({ request: null, ledger: [row] })
    expect(outcomeOf(await ask('/admin/requests/req_none'))).toBe('404 NOT_FOUND')
  })

  it('one of them says why nothing was decided about it', async () => {
    await test.reload({}, yaml => `${yaml}\ndecisions: { log: false }\n`)
    await chat(await test.key('free'), { model: 'nope' })
    const [{ requestId } = { requestId: '' }] = await test.logged(1)

    expect(await bodyOf(`/admin/requests/${requestId}`)).toMatchObject({
      ...{ request: { status: 400 }, ledger: [], decision: null, why_none: 'decisions.log is off.' },
    })
  })

  it('nobody’s account and no limit of 0 can be asked for', async () => {
    for (const query of ['?account=nobody', '?limit=0', '?order=desc'])
      expect(outcomeOf(await ask(`/admin/requests${query}`))).toBe('400 VALIDATION_ERROR')
  })
})

it('GET /admin/alarms has the newest first, and those that say the same once', async () => {
  const { alarm } = test.gateway.app
  alarm('a revision cannot be kept', { path: '/x', requestId: 'req_1' })
  alarm('a pool can be used again', { pool: 'onprem' })
  alarm('a revision cannot be kept', { path: '/x', requestId: 'req_2' })
  test.clock.advance(60_000)
  alarm('a revision cannot be kept', { path: '/x' })

  expect(await bodyOf('/admin/alarms')).toEqual({
    object: 'list',
    since: '2026-11-21T10:00:00.000Z',
    total: 4,
    data: [
      { at: '2026-11-21T10:01:00.000Z', message: 'a revision cannot be kept', fields: { path: '/x' }, count: 1 },
      {
        ...{ at: '2026-11-21T10:00:00.000Z', message: 'a revision cannot be kept', count: 2 },
        fields: { path: '/x', requestId: 'req_2' },
      },
      { at: '2026-11-21T10:00:00.000Z', message: 'a pool can be used again', fields: { pool: 'onprem' }, count: 1 },
    ],
  })
})

it('GET /admin/incidents has open ones first, with what to do; `state=open` has those alone', async () => {
  const { alarm } = test.gateway.app
  alarm('a replica is ejected', { pool: 'onprem', replica: 'http://east', failures: 3 })
  test.clock.advance(5000)
  alarm('a replica is back', { pool: 'onprem', replica: 'http://east' })
  alarm('a pool cannot be used: are its address, key, model and account right?', { pool: 'cloud', cause: '401' })
  test.clock.advance(60_000)
  interface Listed {
    readonly open: number
    readonly data: readonly { readonly incident: string; readonly subject: object }[]
  }
  const all = await bodyOf<Listed>('/admin/incidents')
  const ofThese = all.data.filter(({ incident }) => incident === 'pool-unusable' || incident === 'replica-ejected')

  expect(ofThese).toEqual([
    {
      ...{ incident: 'pool-unusable', gateway: expect.stringMatching(/:\d+$/), state: 'open', severity: 'page' },
      ...{ title: 'A pool cannot be used', subject: { pool: 'cloud' }, times: 1, alarms: 1, open_ms: 60_000 },
      ...{ ended_at: null, fields: { pool: 'cloud', cause: '401' }, failed_requests: null, failed_attempts: 0 },
      ...{
        opened_at: expect.any(String),
        last_at: expect.any(String),
        message: expect.stringContaining('cannot be used'),
      },
      ...{ effect: expect.any(String), action: expect.stringContaining('svcctl doctor') },
      runbook: 'docs/incidents.md#pool-unusable',
    },
    expect.objectContaining({ incident: 'replica-ejected', state: 'over', open_ms: 5000 }),
  ])
  const open = await bodyOf<Listed>('/admin/incidents?state=open')
  expect(open.data.map(({ incident }) => incident)).toContain('pool-unusable')
  expect(open.data.map(({ incident }) => incident)).not.toContain('replica-ejected')
  expect(open.open).toBe(open.data.length)
  expect(outcomeOf(await ask('/admin/incidents?state=odd'))).toBe('400 VALIDATION_ERROR')
})

it('no alarm shows a key', async () => {
  const key = await test.key()
  test.gateway.app.alarm('unexpected error', { text: `it was ${key}` })

  expect((await ask('/admin/alarms')).text).not.toContain(key)
})

it('GET /admin/audit?order=desc has the newest changes first, in pages, narrowed by what and who', async () => {
  for (const label of ['ada', 'bob', 'eve']) {
    await test.key('free', label)
    test.clock.advance(1000)
  }
  const labels = async (query: string) =>
    (await bodyOf<{ data: { label: string }[] }>(`/admin/audit?order=desc${query}`)).data.map(({ label }) => label)
  const { data, next } = await bodyOf<{ data: { at: string }[]; next: string }>('/admin/audit?order=desc&limit=2')

  expect(await labels('')).toEqual(['eve', 'bob', 'ada'])
  expect(next).toBe(data.at(-1)?.at)
  expect(await labels(`&limit=2&before=${next}`)).toEqual(['ada'])
  expect(await labels('&account=bob')).toEqual(['bob'])
  expect(await labels('&action=revoke')).toEqual([])
  expect(outcomeOf(await ask('/admin/audit?order=asc'))).toBe('400 VALIDATION_ERROR')
})
