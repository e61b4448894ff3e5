import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { newRequestId } from '../../../../../src/gateway/accounts/keys.ts'
import type { Start, Started } from '../../contract.ts'
import { admit, LAPSED, ledgerOf, openShop, settlement, totalsOf, waste } from '../../fixtures.ts'

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

/** A request that is over, with so many failed attempts. */
async function served({ store, clock }: Pick<Started, 'store' | 'clock'>, label = 'shop', attempts = 0) {
  const shop = await openShop(store, label)
  const hold = await admit(store, shop, newRequestId(clock.at, randomBytes))
  await store.holds.settle(settlement(hold))
  await store.ledger.recordWaste(Array.from({ length: attempts }, (_, at) => waste(hold, at + 1)))
  clock.at += MINUTE_MS
  return hold.requestId
}

export function leavingContract(start: Start): void {
  it('rows leave in the order of their ids, those of a request together, however few are asked for', async () => {
    const started = await start()
    const ids = [await served(started, 'a', 2), await served(started, 'b'), await served(started, 'c', 12)]
    started.clock.at += DAY_MS
    const { archive } = started.store

    const some = await archive.readLeaving(DAY_MS - 10 * MINUTE_MS, 2)
    expect(some.map(({ row, place }) => [row.requestId, place])).toEqual([
      [ids[0], 1],
      [ids[0], 3],
      [ids[0], 4],
    ])
    const all = await archive.readLeaving(DAY_MS - 10 * MINUTE_MS, 1000)
    expect(all.map(({ row }) => row)).toEqual(await ledgerOf(started.store))
    expect(all.at(-1)?.place).toBe(14)
  })

  it('what is younger stays, and so do failed attempts of a request that goes on', async () => {
    const { store, clock } = await start()
    const shop = await openShop(store)
    const hold = await admit(store, shop, newRequestId(clock.at, randomBytes))
    await store.ledger.recordWaste([waste(hold)])
    clock.at += 2 * MINUTE_MS
    const young = await served({ store, clock })

    expect(await store.archive.readLeaving(MINUTE_MS / 2, 10)).toEqual([])
    await store.holds.settle(settlement(hold))
    const leaving = await store.archive.readLeaving(MINUTE_MS / 2, 10)
    expect(leaving.map(({ row, place }) => [row.requestId, place])).toEqual([
      [hold.requestId, 1],
      [hold.requestId, 3],
    ])
    clock.at += 2 * MINUTE_MS
    expect((await store.archive.readLeaving(MINUTE_MS / 2, 10)).at(-1)?.row.requestId).toBe(young)
  })

  it('an orphan and what came late for it leave with their places', async () => {
    const { store, clock } = await start()
    const hold = await admit(store, await openShop(store), newRequestId(clock.at, randomBytes))
    await store.holds.heartbeat([{ hold, soFar: settlement(hold) }])
    clock.at += LAPSED
    await store.holds.sweep()
    await store.holds.settle(settlement(hold))
    clock.at += DAY_MS

    const leaving = await store.archive.readLeaving(DAY_MS - MINUTE_MS, 10)
    expect(leaving.map(({ row, place }) => [row.kind, place])).toEqual([
      ['orphan', 1],
      ['late', 2],
    ])
  })

  it('rows that are removed are gone once, also after a restart, and their sums stay', async () => {
    const { store, clock, reopen } = await start()
    const gone = await served({ store, clock }, 'a', 1)
    const stays = await served({ store, clock }, 'b')
    const totals = await totalsOf(store)
    clock.at += DAY_MS
    const leaving = (await store.archive.readLeaving(DAY_MS - 10 * MINUTE_MS, 10)).filter(
      ({ row }) => row.requestId === gone,
    )

    expect(await store.archive.remove(leaving)).toBe(2)
    expect(await store.archive.remove(leaving)).toBe(0)
    const again = await reopen()
    expect((await ledgerOf(again)).map(({ requestId }) => requestId)).toEqual([stays])
    expect(await totalsOf(again)).toEqual(totals)
  })

  it('counts what waits, and says since when', async () => {
    const started = await start()
    const { store, clock } = started
    const first = clock.at
    expect(await store.archive.readWaiting(DAY_MS)).toEqual({ rows: 0 })
    await served(started, 'a', 1)
    await served(started, 'b')
    clock.at += DAY_MS + MINUTE_MS
    expect(await store.archive.readWaiting(DAY_MS)).toEqual({ rows: 3, oldest: first })
    expect(await store.archive.readWaiting(2 * DAY_MS)).toEqual({ rows: 0 })

    await store.archive.remove((await store.archive.readLeaving(DAY_MS, 10)).slice(0, 2))
    expect(await store.archive.readWaiting(DAY_MS)).toEqual({ rows: 1, oldest: first + MINUTE_MS })
  })
}
