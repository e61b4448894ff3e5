import { expect, it } from 'vitest'
import type { NewestQuery } from '../../../../../src/gateway/store/ledger-store.ts'
import type { Store } from '../../../../../src/gateway/store/store.ts'
import { nanoUsd } from '../../../../../src/policy/nano-usd.ts'
import type { Start } from '../../contract.ts'
import { admit, claimsOf, LAPSED, openShop, type Shop, settlement, takenBy, waste } from '../../fixtures.ts'

/** The newest rows of an account, and the rows of one request. */
export function newestContract(start: Start): void {
  const serve = async (store: Store, shop: Shop, ids: readonly string[]) => {
    for (const id of ids) await store.holds.settle(settlement(await admit(store, shop, id, claimsOf({ rpm: 1e6 }))))
  }
  const idsOf = async (store: Store, query: NewestQuery) => {
    const { rows, next } = await store.ledger.readNewest(query)
    return { ids: rows.map(({ requestId }) => requestId), next }
  }
  const numbered = (first: number, count: number) =>
    Array.from({ length: count }, (_, index) => `req_${String(first + index).padStart(6, '0')}`)

  it('the newest rows of an account come first, and no other account’s', async () => {
    const { store } = await start()
    const [ada, bob] = [await openShop(store, 'ada'), await openShop(store, 'bob')]
    await serve(store, ada, ['req_1', 'req_3', 'req_5'])
    await serve(store, bob, ['req_2', 'req_4'])

    expect(await idsOf(store, { account: ada.account, limit: 10 })).toEqual({ ids: ['req_5', 'req_3', 'req_1'] })
    expect(await idsOf(store, { account: bob.account, limit: 10 })).toEqual({ ids: ['req_4', 'req_2'] })
    expect(await idsOf(store, { account: 'acct_none', limit: 10 })).toEqual({ ids: [] })
  })

  it('as many as are asked for, and then those before them, until there are none', async () => {
    const { store, reopen } = await start()
    const { account, ...rest } = await openShop(store)
    const ids = numbered(0, 600)
    await serve(store, { account, ...rest }, ids)
    const again = await reopen()

    const seen: string[] = []
    for (let before: string | undefined = ''; before !== undefined; ) {
      const { rows, next } = await again.ledger.readNewest({ account, limit: 250, ...(before !== '' && { before }) })
      seen.push(...rows.map(({ requestId }) => requestId))
      before = next
    }
    expect(seen).toEqual(ids.toReversed())
    expect(await idsOf(again, { account, limit: 5, before: 'req_000002' })).toEqual({
      ids: ['req_000001', 'req_000000'],
    })
  })

  it('what came late is a part of its request, and waste is none of the account’s', async () => {
    const { store, clock } = await start()
    const shop = await openShop(store)
    await serve(store, shop, ['req_1'])
    const hold = await admit(store, shop, 'req_2')
    await store.ledger.recordWaste([waste(hold)])
    const part = { tokens: 12, cost: nanoUsd(14) }
    await store.holds.heartbeat([{ hold, soFar: settlement(hold, part) }])
    clock.at += LAPSED
    await store.holds.sweep()
    await store.holds.settle(settlement(hold, takenBy(hold)))

    const { rows, next } = await store.ledger.readNewest({ account: shop.account, limit: 1 })

    expect(rows.map(({ requestId, kind }) => [requestId, kind])).toEqual([
      ['req_2', 'late'],
      ['req_2', 'orphan'],
    ])
    expect(next).toBe('req_2')
    expect((await store.ledger.readRequest('req_2')).map(({ kind }) => kind)).toEqual(['orphan', 'late', 'waste'])
  })

  it('the rows of one request are its own, and those of an unknown one are none', async () => {
    const { store } = await start()
    const [ada, bob] = [await openShop(store, 'ada'), await openShop(store, 'bob')]
    await serve(store, ada, ['req_1', 'req_11'])
    await serve(store, bob, ['req_12'])

    expect(await store.ledger.readRequest('req_1')).toMatchObject([{ requestId: 'req_1', account: ada.account }])
    expect(await store.ledger.readRequest('req_12')).toMatchObject([{ account: bob.account }])
    expect(await store.ledger.readRequest('req_2')).toEqual([])
  })
}
