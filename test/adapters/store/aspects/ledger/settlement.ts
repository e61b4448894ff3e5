import { expect, it } from 'vitest'
import type { Settlement } from '../../../../../src/gateway/store/hold-store.ts'
import { dayAt } from '../../../../../src/policy/counters/account-counters.ts'
import { windowOf } from '../../../../../src/policy/decision.ts'
import { nanoUsd } from '../../../../../src/policy/nano-usd.ts'
import { dayText } from '../../../../../src/policy/zone.ts'
import type { Start } from '../../contract.ts'
import {
  admission,
  admit,
  claimsOf,
  LAPSED,
  ledgerOf,
  NOON,
  openShop,
  rowOf,
  settlement,
  sumOf,
  totalsOf,
} from '../../fixtures.ts'

const MONTH_END = windowOf(NOON).end - 1

export function settlementContract(start: Start): void {
  it('a settlement charges what the request weighed and frees the rest of the hold', async () => {
    const { store } = await start()
    const shop = await openShop(store)
    const settled = settlement(await admit(store, shop, 'req_1'), { tokens: 12, cost: nanoUsd(14) })

    await store.holds.settle(settled)

    expect(await store.accounts.readSpend(shop.account)).toEqual({ used: 14, held: 0, window: windowOf(NOON) })
    expect(await ledgerOf(store)).toEqual([rowOf(settled)])
    expect(await store.holds.admit(admission(shop, 'req_2'))).toMatchObject({
      readings: { requests: 1, tokens: 12, day: 1, concurrent: 0, used: 14, held: 0 },
    })
  })

  it('the same settlement twice charges once', async () => {
    const { store } = await start()
    const shop = await openShop(store)
    const settled = settlement(await admit(store, shop, 'req_1'))

    await Promise.all([store.holds.settle(settled), store.holds.settle(settled)])
    await store.holds.settle(settled)

    expect(await store.accounts.readSpend(shop.account)).toMatchObject({ used: 50, held: 0 })
    expect(await ledgerOf(store)).toEqual([rowOf(settled)])
  })

  it('a settlement of a hold that ended with its process charges once', async () => {
    const { store, reopen, clock } = await start()
    const shop = await openShop(store)
    const settled = settlement(await admit(store, shop, 'req_1'), { tokens: 12, cost: nanoUsd(14) })
    clock.at += LAPSED
    const reopened = await reopen()
    await reopened.holds.sweep()

    await reopened.holds.settle(settled)
    await reopened.holds.settle(settled)

    expect(await reopened.accounts.readSpend(shop.account)).toMatchObject({ used: 14, held: 0 })
    expect(await ledgerOf(reopened)).toEqual([rowOf(settled, clock.at, 'late')])
  })

  it('a settlement repeated after a restart charges nothing', async () => {
    const { store, reopen } = await start()
    const shop = await openShop(store)
    const settled = settlement(await admit(store, shop, 'req_1'))
    await store.holds.settle(settled)
    const reopened = await reopen()

    await reopened.holds.settle(settled)

    expect(await reopened.accounts.readSpend(shop.account)).toMatchObject({ used: 50, held: 0 })
    expect(await ledgerOf(reopened)).toEqual([rowOf(settled)])
  })

  it('spend after a restart is the sum of the ledger', async () => {
    const { store, reopen } = await start()
    const shops = await Promise.all(['ada', 'bob'].map(label => openShop(store, label)))
    await Promise.all(
      shops.flatMap(shop =>
        Array.from({ length: 40 }, async (_, index) => {
          const hold = await admit(store, shop, `req_${index}_${shop.account}`)
          await store.holds.settle(settlement(hold, { tokens: 10 + index, cost: nanoUsd(1 + index) }))
        }),
      ),
    )

    const reopened = await reopen()

    for (const { account } of shops) {
      const { used, held } = await reopened.accounts.readSpend(account)
      expect({ used, held }).toEqual({ used: sumOf(await ledgerOf(reopened, account)), held: 0 })
      expect(used).toBe(820)
    }
  })

  it('a request belongs to the window of its admission', async () => {
    const { store, clock } = await start(MONTH_END)
    const shop = await openShop(store)
    const hold = await admit(store, shop, 'req_1', claimsOf({ at: MONTH_END }))
    clock.at += 10_000

    await store.holds.settle(settlement(hold))

    expect(await store.accounts.readSpend(shop.account)).toMatchObject({ used: 0, held: 0, window: windowOf(clock.at) })
    clock.at = MONTH_END
    expect(await store.accounts.readSpend(shop.account)).toMatchObject({ used: 50, held: 0 })
  })

  it('a request that cost more than it held is charged in full', async () => {
    const { store } = await start()
    const shop = await openShop(store)
    const hold = await admit(store, shop, 'req_1', claimsOf({ limit: nanoUsd(60) }))

    await store.holds.settle(settlement(hold, { tokens: 90, cost: nanoUsd(170) }))

    expect(await store.accounts.readSpend(shop.account)).toMatchObject({ used: 170, held: 0 })
    expect(await store.holds.admit(admission(shop, 'req_2', claimsOf({ limit: 60 })))).toMatchObject({
      denial: { code: 'quota_exceeded' },
    })
  })

  it('a refund frees spend, tokens and the place under way, and writes no row', async () => {
    const { store } = await start()
    const shop = await openShop(store)
    const hold = await admit(store, shop, 'req_1')

    await store.holds.refund(hold)
    await store.holds.refund(hold)

    expect(await store.accounts.readSpend(shop.account)).toMatchObject({ used: 0, held: 0 })
    expect(await ledgerOf(store)).toEqual([])
    expect(await store.holds.admit(admission(shop, 'req_2'))).toMatchObject({
      readings: { requests: 1, tokens: 0, day: 1, concurrent: 0, used: 0, held: 0 },
    })
  })

  it('a refund after the settlement changes nothing', async () => {
    const { store } = await start()
    const shop = await openShop(store)
    const hold = await admit(store, shop, 'req_1')
    await admit(store, shop, 'req_2')
    await store.holds.settle(settlement(hold))

    await store.holds.refund(hold)

    expect(await store.accounts.readSpend(shop.account)).toMatchObject({ used: 50, held: 50 })
  })

  it('a settlement after the refund changes nothing', async () => {
    const { store } = await start()
    const shop = await openShop(store)
    const hold = await admit(store, shop, 'req_1')
    await store.holds.refund(hold)

    await store.holds.settle(settlement(hold))

    expect(await store.accounts.readSpend(shop.account)).toMatchObject({ used: 0, held: 0 })
    expect(await ledgerOf(store)).toEqual([])
  })

  it.each([
    ['a refund', 'refund'],
    ['a settlement', 'settle'],
  ] as const)('%s of a key that was revoked meanwhile ends the hold', async (_what, how) => {
    const { store } = await start()
    const shop = await openShop(store)
    const hold = await admit(store, shop, 'req_1')
    await store.keys.revoke({ hash: shop.keyHash, by: 'operator' })

    await (how === 'refund' ? store.holds.refund(hold) : store.holds.settle(settlement(hold)))

    expect(await store.accounts.readSpend(shop.account)).toMatchObject({ used: how === 'refund' ? 0 : 50, held: 0 })
  })

  it('a settlement, an orphan and what takes it back count on the day that their rows name', async () => {
    const { store, clock } = await start()
    const shop = await openShop(store)
    const day = dayAt(NOON) + 1
    const onDay = (settled: Settlement): Settlement => ({ ...settled, bill: { ...settled.bill, day: dayText(day) } })
    await store.holds.settle(onDay(settlement(await admit(store, shop, 'req_1'))))
    const lost = await admit(store, shop, 'req_2')
    await store.holds.heartbeat([{ hold: lost, soFar: onDay(settlement(lost)) }])
    clock.at += LAPSED
    await store.holds.sweep()
    await store.holds.refund(lost)

    const totals = await totalsOf(store)
    const rows = await ledgerOf(store)
    expect(rows.map(({ kind }) => kind)).toEqual(['settle', 'orphan', 'late'])
    expect(totals.map(total => total.day)).toEqual(totals.map(() => day))
    expect(totals.reduce((sum, { cost }) => sum + cost, 0)).toBe(sumOf(rows))
  })

  it('an account nobody opened has no spend to read', async () => {
    const { store } = await start()

    await expect(store.accounts.readSpend('acct_nobody')).rejects.toThrow('acct_nobody')
  })
}
