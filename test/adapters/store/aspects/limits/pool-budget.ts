import { expect, it } from 'vitest'
import type { Store } from '../../../../../src/gateway/store/store.ts'
import { type NanoUsd, nanoUsd, ZERO_USD } from '../../../../../src/policy/nano-usd.ts'
import type { Start } from '../../contract.ts'
import { NOON } from '../../fixtures.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

const take = (store: Store, amount: NanoUsd, limit = 100, pool = 'cloud') =>
  store.budgets.take({ pool, amount, limit: nanoUsd(limit) })

export function poolBudgetContract(start: Start): void {
  it('is taken up to the last nano-USD, and what would pass the limit takes nothing', async () => {
    const { store } = await start()

    expect(await take(store, nanoUsd(60))).toBe(NOON)
    expect(await take(store, nanoUsd(41))).toBeUndefined()
    expect(await store.budgets.read('cloud')).toBe(60)
    expect(await take(store, nanoUsd(40))).toBe(NOON)
    expect(await take(store, nanoUsd(1))).toBeUndefined()
    expect(await take(store, ZERO_USD)).toBe(NOON)
    expect(await store.budgets.read('cloud')).toBe(100)
  })

  it('is that of one pool, and nothing where none was taken', async () => {
    const { store } = await start()
    await take(store, nanoUsd(100))

    expect(await store.budgets.read('near')).toBe(0)
    expect(await take(store, nanoUsd(100), 100, 'near')).toBe(NOON)
    expect(await take(store, nanoUsd(100), 100, 'my pool:{x}')).toBe(NOON)
  })

  it('many at once never pass the limit', async () => {
    const { store } = await start()

    const taken = await Promise.all(Array.from({ length: 50 }, () => take(store, nanoUsd(7))))

    expect(taken.filter(at => at !== undefined)).toHaveLength(14)
    expect(await store.budgets.read('cloud')).toBe(98)
  })

  it('holds amounts of thousands of dollars to the nano-USD', async () => {
    const { store } = await start()
    const limit = 9_007_199_254_740_991

    expect(await take(store, nanoUsd(limit - 1), limit)).toBe(NOON)
    expect(await take(store, nanoUsd(2), limit)).toBeUndefined()
    expect(await take(store, nanoUsd(1), limit)).toBe(NOON)
    expect(await store.budgets.read('cloud')).toBe(limit)
  })

  it.each([
    [HOUR_MS, false],
    [HOUR_MS + MINUTE_MS - 1, false],
    [HOUR_MS + MINUTE_MS, true],
  ])('what was taken is there again after %i ms: %s', async (later, free) => {
    const { store, clock } = await start()
    await take(store, nanoUsd(100))
    clock.at += later

    expect(await store.budgets.read('cloud')).toBe(free ? 0 : 100)
    expect(await take(store, nanoUsd(1))).toBe(free ? clock.at : undefined)
  })

  it('what turned out cheaper is put right where it was counted, and leaves the hour with it', async () => {
    const { store, clock } = await start()
    const at = (await take(store, nanoUsd(60))) ?? 0
    clock.at += 30 * MINUTE_MS
    await take(store, nanoUsd(40))

    await store.budgets.amend({ pool: 'cloud', at, difference: nanoUsd(-45) })

    expect(await store.budgets.read('cloud')).toBe(55)
    clock.at = NOON + HOUR_MS + MINUTE_MS
    expect(await store.budgets.read('cloud')).toBe(40)
  })

  it('what turned out dearer counts, also above the limit', async () => {
    const { store } = await start()
    const at = (await take(store, nanoUsd(60))) ?? 0

    await store.budgets.amend({ pool: 'cloud', at, difference: nanoUsd(70) })

    expect(await store.budgets.read('cloud')).toBe(130)
    expect(await take(store, ZERO_USD)).toBeUndefined()
  })

  it('a minute never counts less than nothing, and what has left the hour is not put right', async () => {
    const { store, clock } = await start()
    const at = (await take(store, nanoUsd(10))) ?? 0
    clock.at += MINUTE_MS
    await take(store, nanoUsd(20))
    await store.budgets.amend({ pool: 'cloud', at, difference: nanoUsd(-11) })
    await store.budgets.amend({ pool: 'nobody asked', at, difference: nanoUsd(-11) })
    expect(await store.budgets.read('cloud')).toBe(20)
    expect(await store.budgets.read('nobody asked')).toBe(0)

    clock.at = NOON + HOUR_MS + MINUTE_MS
    for (const difference of [-5, 5]) await store.budgets.amend({ pool: 'cloud', at, difference: nanoUsd(difference) })
    expect(await store.budgets.read('cloud')).toBe(20)
  })

  it('a clock that steps back gives no second hour, and counts in the newest minute', async () => {
    const { store, clock } = await start()
    await take(store, nanoUsd(60))

    for (const back of [1, MINUTE_MS, HOUR_MS]) {
      clock.at = NOON - back
      expect(await take(store, nanoUsd(41))).toBeUndefined()
      expect(await store.budgets.read('cloud')).toBe(60)
    }
    expect(await take(store, nanoUsd(40))).toBe(NOON)

    clock.at = NOON + HOUR_MS
    expect(await store.budgets.read('cloud')).toBe(100)
  })

  it('a clock that steps back by days frees what was taken an hour later, and not before', async () => {
    const { store, clock } = await start()
    await take(store, nanoUsd(60))
    clock.at = NOON + 20 * MINUTE_MS
    await take(store, nanoUsd(40))
    const earlier = NOON - 48 * HOUR_MS

    clock.at = earlier
    expect(await take(store, nanoUsd(1))).toBeUndefined()
    // Written, from here on, as of now.
    expect(await take(store, ZERO_USD)).toBe(earlier)
    clock.at = earlier + HOUR_MS
    expect(await take(store, nanoUsd(1))).toBeUndefined()
    clock.at = earlier + HOUR_MS + MINUTE_MS
    expect(await take(store, nanoUsd(100))).toBe(clock.at)
  })

  it('a day is apart from an hour, and frees what was taken after 24 hours', async () => {
    const { store, clock, reopen } = await start()
    const day = { pool: 'mirror:svc-core', span: 'day' } as const
    const takeOfDay = (amount: number, of: Store = store) =>
      of.budgets.take({ ...day, amount: nanoUsd(amount), limit: nanoUsd(100) })
    const at = (await takeOfDay(60)) ?? 0

    clock.at += 23 * HOUR_MS
    expect(await takeOfDay(41)).toBeUndefined()
    await store.budgets.amend({ ...day, at, difference: nanoUsd(-10) })
    const reopened = await reopen()
    expect(await reopened.budgets.read(day.pool, 'day')).toBe(50)
    expect(await takeOfDay(51, reopened)).toBeUndefined()
    clock.at = NOON + 24 * HOUR_MS + 24 * MINUTE_MS
    expect(await takeOfDay(100, reopened)).toBeDefined()
  })

  it('survives a restart', async () => {
    const { store, clock, reopen } = await start()
    const at = (await take(store, nanoUsd(60))) ?? 0
    clock.at += MINUTE_MS
    await take(store, nanoUsd(30))
    await store.budgets.amend({ pool: 'cloud', at, difference: nanoUsd(-20) })

    const reopened = await reopen()

    expect(await reopened.budgets.read('cloud')).toBe(70)
    expect(await take(reopened, nanoUsd(31))).toBeUndefined()
    await reopened.budgets.amend({ pool: 'cloud', at, difference: nanoUsd(-20) })
    expect(await take(reopened, nanoUsd(50))).toBe(clock.at)
  })
}
