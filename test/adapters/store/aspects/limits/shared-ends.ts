import { expect, it } from 'vitest'
import { nanoUsd } from '../../../../../src/policy/nano-usd.ts'
import type { Start } from '../../contract.ts'
import { LAPSED, NOON, openGuest, settlement } from '../../fixtures.ts'
import { askShared, expectTaken, holdShared } from './shared.ts'

const DAY_MS = 86_400_000
const MIDNIGHT = NOON + DAY_MS / 2

export function sharedEndsContract(start: Start): void {
  it.each([
    ['a settlement below the hold gives back the rest', 14],
    ['a settlement at the hold gives back nothing', 50],
    ['a settlement above the hold takes more', 70],
  ])('%s', async (_what, cost) => {
    const { store } = await start()
    const phone = await openGuest(store)
    const settled = settlement(await holdShared(store, phone, 'req_1'), { tokens: 30, cost: nanoUsd(cost) })

    await Promise.all([store.holds.settle(settled), store.holds.settle(settled)])
    await store.holds.refund(settled.hold)

    await expectTaken(store, phone, nanoUsd(cost))
  })

  it('a refund gives all of it back, once', async () => {
    const { store } = await start()
    const phone = await openGuest(store)
    const [kept, hold] = [await holdShared(store, phone, 'req_1'), await holdShared(store, phone, 'req_2')]

    for (let turn = 0; turn < 3; turn++) await store.holds.refund(hold)

    await expectTaken(store, phone, kept.cost)
  })

  it.each([
    ['no checkpoint', undefined, 0],
    ['a checkpoint', 14, 14],
  ])('an orphan with %s gives back what it was not charged', async (_what, checkpoint, left) => {
    const { store, clock } = await start()
    const phone = await openGuest(store)
    const hold = await holdShared(store, phone, 'req_1')
    const soFar = checkpoint === undefined ? {} : { soFar: settlement(hold, { tokens: 12, cost: nanoUsd(checkpoint) }) }
    await store.holds.heartbeat([{ hold, ...soFar }])
    clock.at += LAPSED

    await store.holds.sweep()

    await expectTaken(store, phone, nanoUsd(left))
  })

  it.each([
    ['of an orphan with a checkpoint', 14, 40],
    ['of an orphan without one', undefined, 40],
    ['of less than its checkpoint', 14, 3],
  ])('a late settlement %s leaves what it came to', async (_what, checkpoint, cost) => {
    const { store, clock } = await start()
    const phone = await openGuest(store)
    const hold = await holdShared(store, phone, 'req_1')
    if (checkpoint !== undefined)
      await store.holds.heartbeat([{ hold, soFar: settlement(hold, { tokens: 12, cost: nanoUsd(checkpoint) }) }])
    clock.at += LAPSED
    await store.holds.sweep()

    for (let turn = 0; turn < 2; turn++) await store.holds.settle(settlement(hold, { tokens: 20, cost: nanoUsd(cost) }))

    await expectTaken(store, phone, nanoUsd(cost))
  })

  it.each([
    ['with a checkpoint', 14],
    ['without one', undefined],
  ])('an orphan %s that still runs takes all of it again, and leaves what it came to', async (_what, checkpoint) => {
    const { store, clock } = await start()
    const phone = await openGuest(store)
    const hold = await holdShared(store, phone, 'req_1')
    const soFar = checkpoint === undefined ? {} : { soFar: settlement(hold, { tokens: 12, cost: nanoUsd(checkpoint) }) }
    await store.holds.heartbeat([{ hold, ...soFar }])
    for (let turn = 0; turn < 2; turn++) {
      clock.at += LAPSED
      await store.holds.sweep()
      await store.holds.heartbeat([{ hold }])
    }
    await expectTaken(store, phone, hold.cost)

    await store.holds.settle(settlement(hold, { tokens: 20, cost: nanoUsd(40) }))

    await expectTaken(store, phone, nanoUsd(40))
  })

  it('a new UTC day has all of it, and what is given back goes to the day it was taken on', async () => {
    const { store, clock } = await start(MIDNIGHT - 1)
    const phone = await openGuest(store)
    const old = await holdShared(store, phone, 'req_1')
    expect(await askShared(store, phone, 'req_2', nanoUsd(99))).toMatchObject({
      outcome: 'guests-spent',
      retryAfterMs: 1,
    })

    clock.at = MIDNIGHT
    expect(await askShared(store, phone, 'req_3', nanoUsd(50), MIDNIGHT)).toMatchObject({ outcome: 'admitted' })
    await store.holds.refund(old)

    expect(await askShared(store, phone, 'req_4', nanoUsd(99), MIDNIGHT)).toMatchObject({
      outcome: 'guests-spent',
      retryAfterMs: DAY_MS,
    })
    await expectTaken(store, phone, nanoUsd(50), MIDNIGHT)
  })

  it('survives a restart, and so does what is to be given back', async () => {
    const { store, clock, reopen } = await start()
    const phone = await openGuest(store)
    await store.holds.settle(settlement(await holdShared(store, phone, 'req_1'), { tokens: 30, cost: nanoUsd(20) }))
    const hold = await holdShared(store, phone, 'req_2')
    await store.holds.heartbeat([{ hold, soFar: settlement(hold, { tokens: 12, cost: nanoUsd(14) }) }])
    clock.at += LAPSED

    const reopened = await reopen()
    await reopened.holds.sweep()

    await expectTaken(reopened, phone, nanoUsd(34))
    await reopened.holds.settle(settlement(hold, { tokens: 12, cost: nanoUsd(5) }))
    await expectTaken(reopened, phone, nanoUsd(25))
  })
}
