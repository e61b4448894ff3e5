import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { AccountRecord, Scan, ScannedAccount } from '../../../../../src/gateway/store/account-store.ts'
import type { Store } from '../../../../../src/gateway/store/store.ts'
import { LABEL } from '../../../../../src/wire/names.ts'
import type { Start } from '../../contract.ts'
import { admit, all, mintOf, openGuest, openShop, settlement } from '../../fixtures.ts'

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

  it('a scan goes in each order that the store has, and begins behind any place of it', async () => {
    const { store } = await start()
    const labels = fc.sample(
      fc.oneof(
        fc.constantFrom(
          'ada',
          'ada!',
          'ada b',
          'ada@example.com',
          'Ada',
          'ärger',
          '\u{1f600}',
          '\uffee',
          '\u{1f600}a',
          'z~',
        ),
        fc
          .string({ unit: fc.constantFrom(...'ab !~é\uffee\u{1f600}') })
          .filter(text => new RegExp(LABEL, 'u').test(text)),
      ),
      { numRuns: 600, seed: 7 },
    )
    const ids = labels.map((_, index) => `acct_${String(index * 7919).slice(-3)}_${index}`)
    await Promise.all(
      labels.map((label, index) =>
        index % 3 === 0
          ? store.keys.mint(mintOf(`${label}${index}`, (ids[index] ?? '').slice('acct_'.length)))
          : store.accounts.signIn({ account: ids[index] ?? '', label }),
      ),
    )
    await openGuest(store)
    const rankOf = { id: (record: AccountRecord) => record.account, label: (record: AccountRecord) => record.label }
    const places = (await all(store.accounts.readAll()))
      .filter(({ kind }) => kind === 'developer')
      .map(record => ({ record, bytes: { id: record.account, label: Buffer.from(record.label) } }))

    for (const order of store.accounts.scanOrders) {
      const sorted = places
        .sort(({ record: a, bytes: { label: one } }, { record: b, bytes: { label: other } }) =>
          order === 'label' && a.label !== b.label ? Buffer.compare(one, other) : a.account < b.account ? -1 : 1,
        )
        .map(({ record }) => record)
      for (const from of [-1, 0, 255, 256, 300, sorted.length - 1]) {
        const last = sorted[from]
        const after = last && { rank: rankOf[order](last), account: last.account }
        const found = (await all(store.accounts.scan({ order, ...(after && { after }) }))).flat()
        const behind = found.filter(({ kind }) => kind === 'developer').map(({ account }) => account)
        expect(behind).toEqual(sorted.slice(from + 1).map(({ account }) => account))
      }
    }
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
