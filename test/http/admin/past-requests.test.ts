import { describe, expect } from 'vitest'
import type { RecentRequests } from '../../../src/gateway/recent-requests.ts'
import { PAST_REQUESTS, type PastRequests } from '../../../src/wire/admin/past-request.ts'
import { readAs } from '../../../src/wire/schema/read.ts'
import { ADMIN_TOKEN, type TestGateway } from '../../support/gateway.ts'
import { gatewayTest as it } from '../../support/gateway-test.ts'

const ask = (gateway: TestGateway, query: string) =>
  fetch(`${gateway.admin}/admin/requests${query}`, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } })
const past = async (gateway: TestGateway, query: string): Promise<PastRequests> =>
  readAs(PAST_REQUESTS, await (await ask(gateway, query)).json())
const brief = ({ data }: PastRequests) => data.map(({ label, status, outcome, from }) => [label, status, outcome, from])

describe('GET /admin/requests?since=', () => {
  it('has what is remembered, with what was refused, and what is not any more from the ledger, each once', async ({
    gateway,
  }) => {
    const [ada, bob] = [await gateway.key('free', 'ada'), await gateway.key('pro', 'bob')]
    expect((await gateway.chat(ada, { max_tokens: 10 })).status).toBe(200)
    gateway.clock.advance(1000)
    expect((await gateway.chat(bob, { max_tokens: 10 })).status).toBe(200)
    gateway.clock.advance(1000)
    expect((await gateway.chat(ada, { model: 'svc-ultra-pro' })).status).toBe(429)

    const all = await past(gateway, '?since=1d')
    expect(brief(all)).toEqual([
      ['ada', 429, 'refused', 'memory'],
      ['bob', 200, 'ok', 'memory'],
      ['ada', 200, 'ok', 'memory'],
    ])
    expect(all.next).toBeNull()
    expect(all.data[1]).toMatchObject({
      key: expect.stringMatching(/^key_/),
      account: expect.stringMatching(/^acct_/),
      plan: 'pro',
      input_tokens: 9,
    })
    expect(brief(await past(gateway, '?since=1d&account=bob'))).toEqual([['bob', 200, 'ok', 'memory']])
    expect(brief(await past(gateway, '?since=1d&errors=true'))).toEqual([['ada', 429, 'refused', 'memory']])
    expect(brief(await past(gateway, '?since=1d&model=svc-ultra-pro'))).toEqual([['ada', 429, 'refused', 'memory']])
    expect(brief(await past(gateway, `?since=1d&key=${all.data[1]?.key}`))).toEqual([['bob', 200, 'ok', 'memory']])
    expect(brief(await past(gateway, '?since=1d&slow=1h'))).toEqual([])
    expect(brief(await past(gateway, '?since=1d&until=today'))).toEqual([])

    const pages = []
    for (let before: string | null = ''; before !== null; ) {
      const page = await past(gateway, `?since=1d&limit=1${before === '' ? '' : `&before=${before}`}`)
      pages.push(...brief(page))
      before = page.next
    }
    expect(pages).toEqual(brief(all))
  })

  it('a request that another gateway served is found in the ledger, with its failed attempts', async ({
    gateway,
    running,
  }) => {
    await gateway.chat(await gateway.key('free', 'ada'), { max_tokens: 10 })
    const [known] = (await past(gateway, '?since=1d')).data
    for await (const row of running.store.ledger.readRows())
      await running.store.ledger.recordWaste([{ attempt: 1, bill: row, cause: 'status 500' }])
    for (let index = 0; index < 5000; index++)
      (running.app.recent as RecentRequests).add({
        ...{ at: gateway.clock.now(), requestId: `req_${'Z'.repeat(20)}${index}`, method: 'GET', path: '/' },
        ...{ status: 404, ms: 1 },
      })

    const [found] = (await past(gateway, '?since=1d&model=svc-core')).data

    expect(found).toMatchObject({ request_id: known?.request_id, from: 'ledger', status: null, label: 'ada' })
    expect(found?.failures).toEqual([{ pool: 'onprem', cause: 'status 500' }])
  })
})

it.for<[string, string]>([
  ['?since=someday', 'since: must be a duration'],
  ['?since=1d&slow=5', 'slow: must be a duration such as 5s'],
  ['?since=1d&errors=yes', 'errors: must be true or false'],
  ['?since=1d&limit=1001', 'limit: must be a number from 1 to 1000'],
  ['?since=1d&account=nobody', 'account: there is no account `nobody`'],
  ['?since=1d&status=429', 'status: is not accepted'],
])('%s is a 400 that names the parameter', async ([query, problem], { gateway }) => {
  const response = await ask(gateway, query)

  expect(response.status).toBe(400)
  expect(await response.json()).toEqual({ error: expect.stringContaining(problem), code: 'VALIDATION_ERROR' })
})
