import { expect, it } from 'vitest'
import { type Hold, NOTHING } from '../../../../src/policy/counters/account-counters.ts'
import { windowOf } from '../../../../src/policy/decision.ts'
import { nanoUsd } from '../../../../src/policy/nano-usd.ts'
import type { Start } from '../contract.ts'
import {
  admit,
  claimsOf,
  extend,
  LAPSED,
  ledgerOf,
  NOON,
  openGuest,
  openShop,
  rowOf,
  settlement,
  sumOf,
} from '../fixtures.ts'
import { expectTaken, holdShared } from './limits/shared.ts'

const DAY_MS = 86_400_000
const USD = 1_000_000_000

const JUMPS = [
  ['101 days ahead', 101],
  ['ten years ahead', 3653],
  ['101 days back', -101],
  ['at 1970', -NOON / DAY_MS],
] as const

export function wrongClockContract(start: Start): void {
  it.each(JUMPS)('requests while the clock is %s forget nothing of what this month spent', async (_where, days) => {
    const { store, clock, reopen } = await start()
    const shop = await openShop(store)
    await store.holds.settle(settlement(await admit(store, shop, 'req_1')))

    clock.at = NOON + days * DAY_MS
    await store.holds.settle(settlement(await admit(store, shop, 'req_2', claimsOf({ at: clock.at }))))
    expect(await store.accounts.readSpend(shop.account)).toMatchObject({ used: 50, held: 0 })
    clock.at = NOON
    await store.holds.settle(settlement(await admit(store, shop, 'req_3')))

    expect(await store.accounts.readSpend(shop.account)).toMatchObject({ used: 100, held: 0 })
    expect(await (await reopen()).accounts.readSpend(shop.account)).toMatchObject({ used: 100, held: 0 })
  })

  it.each(JUMPS)('a request that is under way while the clock is %s is charged once', async (_where, days) => {
    const { store, clock } = await start()
    const shop = await openShop(store)
    const hold = await admit(store, shop, 'req_1')
    const extended = await extend(store, await admit(store, shop, 'req_2'), { tokens: 12, cost: nanoUsd(14) })
    await store.holds.heartbeat([{ hold, soFar: settlement(hold, { tokens: 12, cost: nanoUsd(14) }) }])

    clock.at = NOON + days * DAY_MS
    await store.holds.sweep()
    await store.holds.settle(settlement(hold))
    clock.at = NOON + LAPSED
    await store.holds.sweep()
    await store.holds.settle(settlement(extended, { tokens: 40, cost: nanoUsd(60) }))

    expect(await store.accounts.readSpend(shop.account)).toMatchObject({ used: 110, held: 0 })
    expect(sumOf(await ledgerOf(store))).toBe(110)
  })

  it.each(JUMPS)('a grant that is made while the clock is %s takes none away', async (_where, days) => {
    const { store, clock } = await start()
    const { account } = await openShop(store)
    const grantIn = (at: number) =>
      store.accounts.changeTerms({
        account,
        change: { grant: nanoUsd(USD), window: windowOf(at).start },
        by: 'operator',
      })
    await grantIn(NOON)

    clock.at = NOON + days * DAY_MS
    await grantIn(clock.at)

    const { terms } = (await store.accounts.find(account)) ?? {}
    expect(terms?.grants).toMatchObject({ [windowOf(NOON).start]: USD })
  })

  it.each(JUMPS)('guests who ask while the clock is %s free nothing of what guests share', async (_where, days) => {
    const { store, clock } = await start()
    const phone = await openGuest(store)
    await store.holds.settle(settlement(await holdShared(store, phone, 'req_1')))

    clock.at = NOON + days * DAY_MS
    await store.holds.settle(settlement(await holdShared(store, phone, 'req_2', clock.at)))
    clock.at = NOON

    await expectTaken(store, phone, nanoUsd(50))
  })

  it('a month that was over before the clock was wrong keeps what is settled of it later', async () => {
    const { store, clock } = await start(windowOf(NOON).end - 1000)
    const shop = await openShop(store)
    const hold: Hold = await admit(store, shop, 'req_1', claimsOf({ at: clock.at }))
    const admittedAt = clock.at

    clock.at += 101 * DAY_MS
    await store.holds.settle(settlement(await admit(store, shop, 'req_2', claimsOf({ at: clock.at })), NOTHING))
    await store.holds.settle(settlement(hold))
    clock.at = admittedAt

    expect(await store.accounts.readSpend(shop.account)).toMatchObject({ used: 50, held: 0 })
    expect((await ledgerOf(store)).filter(({ requestId }) => requestId === 'req_1')).toEqual([
      rowOf(settlement(hold), admittedAt + 101 * DAY_MS),
    ])
  })
}
