import fc from 'fast-check'
import { expect, it } from 'vitest'
import { RecentRequests } from '../../src/gateway/recent-requests.ts'
import { nanoUsd } from '../../src/policy/nano-usd.ts'
import type { RequestEnd } from '../../src/wire/admin/event.ts'

const sizes = { all: 20, accounts: 3, each: 5 }

const ended = (index: number, more: Partial<RequestEnd> = {}): RequestEnd => ({
  requestId: `req_${index}`,
  at: 1000 + index,
  method: 'POST',
  path: '/v1/chat/completions',
  status: 200,
  ms: 7,
  ...more,
})

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })
const name = fc.constantFrom('pro', 'svc-core', 'onprem', '', 'time-sensitive')
const count = fc.nat(1e9)
const request = fc.record({
  status: fc.constantFrom(200, 429, 499, 503),
  ms: fc.nat(1e6),
  account: maybe(fc.constantFrom('acct_a', 'acct_b', 'acct_c')),
  plan: maybe(name),
  asked: maybe(name),
  model: maybe(name),
  rule: maybe(name),
  pool: maybe(name),
  code: maybe(name),
  type: maybe(name),
  inputTokens: maybe(count),
  outputTokens: maybe(count),
  cachedTokens: maybe(count),
  cacheWriteTokens: maybe(count),
  cost: maybe(count.map(nanoUsd)),
  estimated: maybe(fc.boolean()),
  interrupted: maybe(fc.constant('client gone')),
  message: maybe(fc.string({ minLength: 1 })),
  labels: maybe(fc.constantFrom({ project: 'web' }, { project: 'api', team: 'core' })),
  session: maybe(fc.constantFrom('S-1', '~aaaaaaaaaaaaaaaaaaaaaa')),
  tools: maybe(fc.constant({ calculator: 2 })),
  failures: maybe(fc.constant([{ pool: 'onprem', cause: 'status 500' }])),
})

it('finished requests are remembered, newest first: of all, of each account, and by id', () => {
  fc.assert(
    fc.property(fc.array(request, { maxLength: 60 }), all => {
      const recent = new RecentRequests(500, sizes)
      const ends = all.map((each, index) => ended(index, each))
      for (const end of ends) recent.add(end)

      expect(recent.newest().requests).toEqual(ends.toReversed().slice(0, sizes.all))
      for (const account of ['acct_a', 'acct_b', 'acct_c']) {
        const own = ends.filter(end => end.account === account).toReversed()
        expect(recent.newestOf(account).requests).toEqual(own.slice(0, sizes.each))
      }
      const last = ends.at(-1)
      if (last) expect(recent.find(last.requestId)).toEqual(last)
      expect(recent.find('req_none')).toBeUndefined()
    }),
  )
})

it('an answered read without a credential pushes out nothing, and a refused one is remembered', () => {
  const recent = new RecentRequests(500, sizes)
  recent.add(ended(0, { account: 'acct_a' }))
  for (let index = 1; index < 100; index++) recent.add(ended(index, { method: 'GET', path: '/readyz' }))
  recent.add(ended(100, { method: 'GET', path: '/readyz', status: 503 }))
  recent.add(ended(101, { method: 'GET', path: '/v1/account', account: 'acct_a' }))

  expect(recent.newest().requests.map(({ requestId }) => requestId)).toEqual(['req_101', 'req_100', 'req_0'])
})

it('a busy account pushes out no request of another', () => {
  const recent = new RecentRequests(500, sizes)
  recent.add(ended(0, { account: 'acct_a', status: 429 }))
  for (let index = 1; index < 1000; index++) recent.add(ended(index, { account: 'acct_b' }))

  expect(recent.newestOf('acct_a').requests).toMatchObject([{ requestId: 'req_0', status: 429 }])
})

it('the account that was at work the longest ago makes room, and none of its requests are another’s', () => {
  const recent = new RecentRequests(500, sizes)
  for (let index = 0; index < 100; index++)
    recent.add(ended(index, { account: index < 3 ? `acct_${index}` : 'acct_0' }))
  recent.add(ended(100, { account: 'acct_3' }))

  expect(recent.newestOf('acct_1')).toEqual({ requests: [], since: 1107 })
  expect(recent.newestOf('acct_2').requests).toHaveLength(1)
  expect(recent.newestOf('acct_3').requests).toMatchObject([{ requestId: 'req_100' }])
})

it('says since when none is missing: the start, or what was pushed out', () => {
  const recent = new RecentRequests(500, sizes)
  for (let index = 0; index < 5; index++) recent.add(ended(index, { account: 'acct_a' }))
  expect(recent.newestOf('acct_a').since).toBe(500)
  expect(recent.newestOf('acct_none').since).toBe(500)

  recent.add(ended(5, { account: 'acct_a' }))
  expect(recent.newestOf('acct_a').since).toBe(1001 + 7)
  expect(recent.newest().since).toBe(500)
  for (let index = 6; index < 22; index++) recent.add(ended(index))
  expect(recent.newest().since).toBe(1002 + 7)
})

it('names that clients make up take bounded memory, and are left out beyond it', () => {
  const recent = new RecentRequests(500, sizes)
  recent.add(ended(0, { asked: 'x'.repeat(100_000) }))
  for (let index = 1; index < 11_000; index++) recent.add(ended(index, { asked: `made-up-${index}` }))
  const [newest] = recent.newest().requests

  expect(newest).toMatchObject({ requestId: 'req_10999', asked: '…', path: '/v1/chat/completions' })
})

it('names that clients make up take no room from those of the files', () => {
  const recent = new RecentRequests(500, sizes)
  const nothing = { model: undefined, plan: undefined, pool: undefined, code: undefined }
  for (let index = 0; index < 11_000; index++)
    recent.add(ended(index, { ...nothing, asked: `made-up-${index}`, path: `/made/up/${index}` }))
  const served = { asked: 'alias', model: 'new-model', plan: 'new-plan', pool: 'new-pool', rule: 'new-rule' }
  recent.add(ended(11_000, { ...served, code: 'NEW_CODE' as never, type: 'new_type' }))

  expect(recent.newest().requests[0]).toMatchObject({ ...served, code: 'NEW_CODE', type: 'new_type' })
})
