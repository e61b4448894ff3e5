import { describe, expect, it } from 'vitest'
import { EventWindows } from '../../../src/adapters/embedded/accounts.ts'
import { openRecords } from '../../../src/adapters/embedded/records.ts'
import { StoreUnavailable } from '../../../src/gateway/store/store.ts'
import { nanoUsd } from '../../../src/policy/nano-usd.ts'
import { expectTaken, holdShared } from './aspects/limits/shared.ts'
import { copyOf, crash, openWatched } from './directory.ts'
import { clockAt, extension, LAPSED, NOON, openGuest, settlement } from './fixtures.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

describe('embedded: what guests share', () => {
  it('is after a crash what the rows and the checkpoints of that day come to', async () => {
    const { path, store } = await openWatched()
    const phone = await openGuest(store)
    const [settled, open] = [await holdShared(store, phone, 'req_1'), await holdShared(store, phone, 'req_2')]
    await store.holds.heartbeat([{ hold: open, soFar: settlement(open, { tokens: 12, cost: nanoUsd(14) }) }])
    await store.flush()
    // Not in the files yet, as the moment before its tick.
    await holdShared(store, phone, 'req_3')

    await store.holds.settle(settlement(settled, { tokens: 20, cost: nanoUsd(30) }))

    await expectTaken(store, phone, nanoUsd(30 + 50 + 50))
    await expectTaken(await crash(path), phone, nanoUsd(30 + 14))
  })

  it('is charged a settlement that comes after the crash, in place of the checkpoint', async () => {
    const { path, store } = await openWatched()
    const phone = await openGuest(store)
    const hold = await holdShared(store, phone, 'req_1')
    await store.holds.heartbeat([{ hold, soFar: settlement(hold, { tokens: 12, cost: nanoUsd(14) }) }])
    await store.flush()

    const after = await crash(path)
    for (let turn = 0; turn < 2; turn++) await after.holds.settle(settlement(hold, { tokens: 20, cost: nanoUsd(30) }))

    await expectTaken(after, phone, nanoUsd(30))
  })

  it('holds what an extended hold holds, and gives it back', async () => {
    const { store } = await openWatched()
    const phone = await openGuest(store)
    const hold = await holdShared(store, phone, 'req_1')

    await store.holds.extend(extension(hold, { tokens: 12, cost: nanoUsd(14) }))
    await expectTaken(store, phone, nanoUsd(14 + 50))

    await store.holds.settle(settlement(hold, { tokens: 20, cost: nanoUsd(30) }))
    await expectTaken(store, phone, nanoUsd(30))
  })

  it('is in the files once a disk that failed was mended', async () => {
    const { path, store, disk, files } = await openWatched()
    const phone = await openGuest(store)
    const settled = settlement(await holdShared(store, phone, 'req_1'))
    disk.commit = () => Promise.reject(new StoreUnavailable('no space left'))
    await expect(store.holds.settle(settled)).rejects.toThrow(StoreUnavailable)

    disk.commit = files.commit
    await store.holds.settle(settled)

    await expectTaken(await crash(path), phone, nanoUsd(50))
  })

  it('forgets days that are long over, in the files too', async () => {
    const clock = clockAt(NOON)
    const { path, store } = await openWatched(clock.now)
    const phone = await openGuest(store)
    const first = await holdShared(store, phone, 'req_0')
    for (let day = 1; day < 12; day++) {
      clock.at = NOON + day * DAY_MS
      await store.holds.settle(settlement(await holdShared(store, phone, `req_${day}`, clock.at)))
    }
    await store.holds.settle(settlement(first))
    clock.at += LAPSED
    await store.flush()

    const records = await openRecords(await copyOf(path))
    const days = [...records.guestDays.getKeys()]
    await records.close()

    const today = Math.floor(clock.at / DAY_MS)
    expect(days).toEqual(Array.from({ length: 8 }, (_, index) => today - 7 + index))
  })
})

describe('embedded: events in memory', () => {
  const count = (events: EventWindows, name: string, now: number, limit = 3) =>
    events.count([{ name, limit }], HOUR_MS, now)

  it('are forgotten when nobody asks any more, and under a flood of names', () => {
    const events = new EventWindows()

    for (let index = 0; index < 120_000; index++) count(events, `flood ${index}`, NOON)
    expect(events.size).toBeLessThanOrEqual(100_000)
    for (let hour = 1; hour < 4; hour++) count(events, `later ${hour}`, NOON + hour * HOUR_MS)

    expect(events.size).toBeLessThanOrEqual(2)
  })

  it('count on when others of the generation are forgotten', () => {
    const events = new EventWindows()
    count(events, 'ip', NOON - 1)
    for (let index = 0; index < 60_000; index++) count(events, `flood ${index}`, NOON)

    expect([count(events, 'ip', NOON), count(events, 'ip', NOON), count(events, 'ip', NOON)]).toEqual([
      0,
      0,
      HOUR_MS - 1,
    ])
  })

  it('leave a window later at the latest when the clock steps back, and not before', () => {
    const events = new EventWindows()
    for (let turn = 0; turn < 3; turn++) count(events, 'ip', NOON)

    const earlier = NOON - 10 * HOUR_MS
    expect(count(events, 'ip', earlier)).toBe(HOUR_MS)
    expect(count(events, 'ip', earlier + HOUR_MS - 1)).toBe(1)
    expect(count(events, 'ip', earlier + HOUR_MS)).toBe(0)
  })
})
