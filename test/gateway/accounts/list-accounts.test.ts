import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type ListQuery, listAccounts } from '../../../src/gateway/accounts/list-accounts.ts'
import type { Scan, ScannedAccount, ScanOrder } from '../../../src/gateway/store/account-store.ts'
import { nanoUsd } from '../../../src/policy/nano-usd.ts'
import { LIST_ORDERS } from '../../../src/wire/admin/account.ts'
import { config } from '../../policy/table.ts'

/** A store that scans in pages of three: in the orders of ids and labels, or in none, with some accounts twice. */
function storeOf(accounts: readonly ScannedAccount[], isSorted: boolean) {
  const read = { accounts: 0 }
  const placeOf = ({ account, label }: ScannedAccount, order?: ScanOrder) => [
    order === 'label' ? label : account,
    account,
  ]
  const isBehind = (a: readonly string[], b: readonly string[]) => JSON.stringify(a) > JSON.stringify(b)
  async function* scan({ order, after, wants = () => true }: Scan = {}) {
    const sorted = accounts
      .filter(({ kind }) => order !== 'label' || kind !== 'guest')
      .sort((a, b) => (isBehind(placeOf(a, order), placeOf(b, order)) ? 1 : -1))
      .filter(each => !after || isBehind(placeOf(each, order), [String(after.rank), after.account]))
    const given = isSorted && order ? sorted : [...accounts, ...accounts.slice(0, 4)]
    for (let at = 0; at < given.length; at += 3) {
      const page = given.slice(at, at + 3).filter(({ account }) => wants(account))
      read.accounts += page.length
      yield page
    }
  }
  const scanOrders: readonly ScanOrder[] = isSorted ? ['id', 'label'] : []
  return { read, accounts: { scan, scanOrders } }
}

const account = (id: string, more: Partial<ScannedAccount> = {}): ScannedAccount => ({
  ...{ account: id, kind: 'developer', label: id, terms: { override: 'free' }, createdAt: 0, used: nanoUsd(0) },
  ...more,
})

const some = fc.uniqueArray(
  fc.record({
    account: fc.integer({ min: 0, max: 99_999 }).map(number => `acct_${number}`),
    kind: fc.constantFrom('developer' as const, 'developer' as const, 'guest' as const),
    label: fc.constantFrom('ada', 'Ada L.', 'bob', 'ärger'),
    terms: fc.constantFrom({ override: 'free' }, { override: 'pro', org: 'acme' }, { override: 'gone' }),
    createdAt: fc.nat(5),
    used: fc.nat(5).map(nanoUsd),
  }),
  { selector: each => each.account, maxLength: 40 },
)
const queries = fc.record(
  {
    plan: fc.constantFrom('free', 'pro', 'gone'),
    org: fc.constantFrom('acme', 'beta'),
    search: fc.constantFrom('ADA', 'ct_1', 'nobody'),
  },
  { requiredKeys: [] },
)

async function pagesOf(accounts: readonly ScannedAccount[], isSorted: boolean, query: ListQuery) {
  const pages: string[][] = []
  let after: ListQuery['after']
  do {
    const page = await listAccounts(storeOf(accounts, isSorted).accounts, config, {
      ...query,
      ...(after && { after }),
    })
    pages.push(page.records.map(each => each.account))
    after = page.next
  } while (after)
  return pages
}

it('the pages of any order have every account that is asked for once, and all but the last are full', async () => {
  await fc.assert(
    fc.asyncProperty(
      some,
      queries,
      fc.constantFrom(...LIST_ORDERS),
      fc.integer({ min: 1, max: 7 }),
      fc.boolean(),
      async (accounts, query, order, limit, isSorted) => {
        const pages = await pagesOf(accounts, isSorted, { ...query, order, limit })

        const [all] = await pagesOf(accounts, false, { ...query, order, limit: 100 })
        expect(pages.flat()).toEqual(all)
        expect(new Set(all).size).toBe(all?.length)
        for (const page of pages.slice(0, -1)) expect(page).toHaveLength(limit)
      },
    ),
  )
})

it.each([
  ['label', ['c', 'a', 'b']],
  ['created', ['b', 'a', 'c']],
  ['spend', ['b', 'c', 'a']],
  ['id', ['a', 'b', 'c']],
] as const)('the order of %s', async (order, expected) => {
  const accounts = [
    account('b', { label: 'zoe', createdAt: 3, used: nanoUsd(9) }),
    account('a', { label: 'bob', createdAt: 2, used: nanoUsd(1) }),
    account('c', { label: 'ada', createdAt: 1, used: nanoUsd(5) }),
  ]

  expect(await pagesOf(accounts, false, { order, limit: 9 })).toEqual([expected])
})

it('finds a part of a label or an id in whatever case, of an org and of a plan, and devices only by their plan', async () => {
  const accounts = [
    account('acct_A1', { label: 'ada@example.com', terms: { override: 'pro', org: 'acme' } }),
    account('acct_b2', { label: 'Ada B.' }),
    account('dev_ada', { kind: 'guest', terms: {} }),
  ]
  const found = async (query: Partial<ListQuery>) =>
    (await pagesOf(accounts, true, { order: 'id', limit: 9, ...query }))[0]

  expect(await found({})).toEqual(['acct_A1', 'acct_b2'])
  expect(await found({ search: 'ADA' })).toEqual(['acct_A1', 'acct_b2'])
  expect(await found({ search: 'ct_a1' })).toEqual(['acct_A1'])
  expect(await found({ search: 'ada', org: 'acme' })).toEqual(['acct_A1'])
  expect(await found({ plan: 'free' })).toEqual(['acct_b2'])
  expect(await found({ plan: config.guestPlan?.name ?? '' })).toEqual(['dev_ada'])
})

it('a page in the order of ids reads little more than itself, wherever it begins', async () => {
  const accounts = Array.from({ length: 999 }, (_, index) => account(`acct_${String(index).padStart(3, '0')}`))

  for (const isSorted of [true, false]) {
    const { read, accounts: store } = storeOf(accounts, isSorted)
    const after = { rank: 'acct_500', account: 'acct_500' }
    const page = await listAccounts(store, config, { order: 'id', limit: 10, after })
    expect(page.records.at(0)?.account).toBe('acct_501')
    expect(read.accounts).toBeLessThan(20)
  }
})
