import { expect, it } from 'vitest'
import { findAccounts } from '../../../src/gateway/accounts/find-accounts.ts'
import type { Scan, ScannedAccount, ScanOrder } from '../../../src/gateway/store/account-store.ts'

/** A store of these labels that scans in pages of two, in the order of labels or in none. */
function storeOf(labels: readonly string[], isSorted: boolean) {
  const accounts = labels.map((label, at): ScannedAccount => {
    const kind = label.startsWith('device') ? 'guest' : 'developer'
    return { account: `acct_${at}`, kind, label, terms: {}, createdAt: 0 }
  })
  async function* scan({ order, after }: Scan = {}) {
    const sorted = accounts.filter(({ kind }) => kind !== 'guest').sort((a, b) => (a.label < b.label ? -1 : 1))
    const behind = sorted.filter(({ label }) => !after || label >= String(after.rank))
    const given = order === 'label' ? behind : accounts
    for (let at = 0; at < given.length; at += 2) yield given.slice(at, at + 2)
  }
  return { scan, scanOrders: isSorted ? (['id', 'label'] as const) : ([] as readonly ScanOrder[]) }
}

const LABELS = ['zoe', 'Ada L.', 'hulda', 'ada', 'adam', 'bob', 'device-ada']
const found = async (isSorted: boolean, query: { text: string; limit?: number; budget?: number }) => {
  const { records, isPartial } = await findAccounts(storeOf(LABELS, isSorted), { limit: 20, budget: 100, ...query })
  return [records.map(({ label }) => label), isPartial]
}

it('labels that begin with the text come first, where the store has their order', async () => {
  expect(await found(true, { text: 'ada' })).toEqual([['ada', 'adam', 'Ada L.'], false])
  expect(await found(false, { text: 'ada' })).toEqual([['Ada L.', 'ada', 'adam'], false])
})

it('no device is found, and ids are', async () => {
  expect(await found(true, { text: 'device' })).toEqual([[], false])
  expect(await found(true, { text: 'ACCT_5' })).toEqual([['bob'], false])
})

it('beyond the limit, or the budget, it says that there may be more', async () => {
  expect(await found(true, { text: 'a', limit: 2 })).toEqual([['ada', 'adam'], true])
  expect(await found(false, { text: 'bob', budget: 3 })).toEqual([[], true])
})

it('accounts that begin with the text are found with any budget', async () => {
  expect(await found(true, { text: 'bob', budget: 1 })).toEqual([['bob'], true])
})
