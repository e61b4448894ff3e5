import { expect, it } from 'vitest'
import { findKeys } from '../../../src/gateway/accounts/find-keys.ts'
import type { ScannedAccount } from '../../../src/gateway/store/account-store.ts'
import type { KeyRecord } from '../../../src/gateway/store/key-store.ts'

/** A store in which account number n has a key of each of these names, and a count of the accounts whose keys were read. */
function storeOf(count: number, names: readonly string[]) {
  let read = 0
  const accounts = Array.from(
    { length: count },
    (_, at): ScannedAccount => ({ account: `acct_${at}`, kind: 'developer', label: `a${at}`, terms: {}, createdAt: 0 }),
  )
  async function* scan() {
    for (let at = 0; at < count; at += 3) yield accounts.slice(at, at + 3)
  }
  const listOf = async (account: string) => {
    read++
    return names.map((name, at) => ({
      id: `key_${account.slice(5)}x${at}`,
      name,
      keyPrefix: `svc_${account.slice(5)}abc…`,
      status: name.startsWith('old') ? 'revoked' : 'active',
      account,
    })) as unknown as readonly KeyRecord[]
  }
  return { store: { accounts: { scan }, keys: { listOf } }, read: () => read }
}

const idsOf = (keys: readonly KeyRecord[]) => keys.map(({ id }) => id)

it('keys are found by the beginning of their id or mask, and by a part of their name', async () => {
  const { store } = storeOf(10, ['CI runner', 'laptop'])
  const find = async (text: string) => idsOf((await findKeys(store, { text, limit: 20, budget: 100 })).records)
  expect(await find('key_7x1')).toEqual(['key_7x1'])
  expect(await find('svc_4a')).toEqual(['key_4x0', 'key_4x1'])
  expect(await find('ci run')).toHaveLength(10)
  expect(await find('7x1')).toEqual([])
})

it('keys that work come before those that ended', async () => {
  const { store } = storeOf(2, ['old ci', 'ci'])
  const { records } = await findKeys(store, { text: 'ci', limit: 20, budget: 100 })
  expect(records.map(({ status }) => status)).toEqual(['active', 'active', 'revoked', 'revoked'])
})

it('no more accounts are read than the budget says, and the answer says that there may be more', async () => {
  const { store, read } = storeOf(1000, ['ci'])
  const found = await findKeys(store, { text: 'key_999x0', limit: 20, budget: 10 })
  expect([found.records, found.isPartial, read()]).toEqual([[], true, 10])
})

it('reading stops at the limit', async () => {
  const { store, read } = storeOf(1000, ['ci'])
  const found = await findKeys(store, { text: 'ci', limit: 2, budget: 500 })
  expect([found.records.length, found.isPartial, read()]).toEqual([2, true, 3])
})
