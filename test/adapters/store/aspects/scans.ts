import { expect, it } from 'vitest'
import type { Scan, ScannedAccount } from '../../../../src/gateway/store/account-store.ts'
import type { Store } from '../../../../src/gateway/store/store.ts'
import type { Start } from '../contract.ts'
import { admit, all, openGuest, openShop, settlement } from '../fixtures.ts'

/** Every account of a scan, once, by its id. */
async function scanned(store: Store, scan?: Scan): Promise<readonly ScannedAccount[]> {
  const found = new Map((await all(store.accounts.scan(scan))).flat().map(record => [record.account, record]))
  return [...found.values()].sort((a, b) => (a.account < b.account ? -1 : 1))
}

export function scansContract(start: Start): void {
  it('a scan has every account there is: with a key, by sign-in, and devices', async () => {
    const { store, reopen } = await start()
    await openShop(store, 'ada')
    await store.accounts.signIn({ account: 'acct_bob', label: 'bob' })
    await openGuest(store)
    await store.orgs.open('acme')

    const records = await all(store.accounts.readAll())
    expect(records.map(({ account }) => account).sort()).toEqual(['acct_ada', 'acct_bob', 'dev_phone'])
    const byId = records.sort((a, b) => (a.account < b.account ? -1 : 1))
    expect(await scanned(store)).toEqual(byId)
    expect(await scanned(await reopen())).toEqual(byId)
  })

  it('a scan begins behind an id, and is in the order of ids where the store says so', async () => {
    const { store } = await start()
    const accounts = Array.from({ length: 700 }, (_, index) => `acct_${String(index).padStart(3, '0')}`)
    await Promise.all(accounts.map(account => store.accounts.signIn({ account })))

    const found = (await all(store.accounts.scan({ after: 'acct_299' }))).flat().map(({ account }) => account)

    expect([...new Set(found)].sort()).toEqual(accounts.slice(300))
    if (store.accounts.scansInOrder) expect(found).toEqual(accounts.slice(300))
  })

  it('has at least the accounts that are wanted', async () => {
    const { store } = await start()
    for (const account of ['acct_1', 'acct_2', 'acct_3']) await store.accounts.signIn({ account })

    const found = await scanned(store, { wants: account => account !== 'acct_2' })

    expect(found.map(({ account }) => account)).toEqual(expect.arrayContaining(['acct_1', 'acct_3']))
  })

  it('says what each spent in the month, where that is asked', async () => {
    const { store, reopen } = await start()
    const shop = await openShop(store, 'ada')
    await store.accounts.signIn({ account: 'acct_bob' })
    await store.holds.settle(settlement(await admit(store, shop, 'req_1')))

    const spend = async (of: Store) => (await scanned(of, { spend: true })).map(({ account, used }) => [account, used])

    const { used } = await store.accounts.readSpend(shop.account)
    expect(used).toBeGreaterThan(0)
    const both = [
      ['acct_ada', used],
      ['acct_bob', 0],
    ]
    expect(await spend(store)).toEqual(both)
    expect((await scanned(store))[0]).not.toHaveProperty('used')
    expect(await spend(await reopen())).toEqual(both)
  })
}
