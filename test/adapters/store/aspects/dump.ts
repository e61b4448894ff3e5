import { expect, it } from 'vitest'
import type { RecordKind, StoreRecord } from '../../../../src/gateway/store/record.ts'
import type { Start } from '../contract.ts'
import { admit, all, openGuest, openShop, settlement, waste } from '../fixtures.ts'

/** Checks that a store's dump contains everything in it. */
export function dumpContract(start: Start): void {
  it('a dump has a record of all that was written, each as JSON', async () => {
    const { store } = await start()
    const shop = await openShop(store)
    await openGuest(store)
    await store.accounts.signIn({ account: 'acct_signed', label: 'ada@example.com' })
    await store.orgs.open('acme')
    await store.fleet.setDrained({ pool: 'onprem' }, true)
    await store.holds.settle(settlement(await admit(store, shop, 'req_1')))
    const running = await admit(store, shop, 'req_2')
    await store.ledger.recordWaste([waste(running)])
    await store.budgets.take({ pool: 'cloud', amount: running.cost, limit: running.cost })
    const kept = {
      account: shop.account,
      id: 'resp_1',
      items: ['item_1'],
      sealed: Buffer.from([1, 2, 3]),
      keep: 60_000,
    }
    await store.responses.keep(kept, { bytes: 10_000, responses: 10, total: 10_000 })

    const records = await all(store.dump())

    expect(JSON.parse(JSON.stringify(records))).toEqual(records)
    const named = (wanted: RecordKind) => records.flatMap(([kind, record]) => (kind === wanted ? [record] : []))
    const [first] = named('hold') as Extract<StoreRecord, readonly ['hold', unknown]>[1][]
    expect(first?.hold).toMatchObject({ requestId: 'req_2', account: shop.account })
    expect(
      named('account')
        .map(each => 'account' in each && each.account)
        .sort(),
    ).toEqual([shop.account, 'acct_signed', 'dev_phone'])
    expect(named('key')).toHaveLength(2)
    expect(named('org')).toMatchObject([{ org: 'acme' }])
    expect(named('fleet')).toMatchObject([{ drained: [{ pool: 'onprem' }] }])
    expect(named('pool')).toMatchObject([{ pool: 'cloud' }])
    expect(named('row')).toMatchObject([
      { requestId: 'req_1', kind: 'settle' },
      { requestId: 'req_2', kind: 'waste', attempt: 1 },
    ])
    expect(named('total')).toMatchObject([{ account: shop.account, requests: 1 }])
    expect(named('waste')).toMatchObject([{ attempts: 1 }])
    expect(named('audit')).toMatchObject([{ action: 'mint', by: 'operator' }])
    expect(named('response')).toMatchObject([{ id: 'resp_1', sealed: Buffer.from([1, 2, 3]).toString('base64') }])
  })
}
