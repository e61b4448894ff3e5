import { randomBytes } from 'node:crypto'
import { expect, it, onTestFinished } from 'vitest'
import { newRequestId } from '../../../src/gateway/accounts/keys.ts'
import { ArchiveUnavailable } from '../../../src/gateway/archive/archive.ts'
import { Archiver } from '../../../src/gateway/archive/archiver.ts'
import type { ArchiveStore, LeavingRow } from '../../../src/gateway/store/archive-store.ts'
import type { Store } from '../../../src/gateway/store/store.ts'
import { newDirectory, openHere } from '../../adapters/store/directory.ts'
import { admit, ledgerOf, NOON, openShop, settlement } from '../../adapters/store/fixtures.ts'
import { VirtualClock } from '../../support/clock.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** An archive that keeps what it is given, once, unless it is away. */
class Kept {
  readonly shown = 'memory:'
  readonly rows = new Map<string, LeavingRow>()
  batches = 0
  away = false

  readonly write = async (rows: readonly LeavingRow[]) => {
    if (this.away) throw new ArchiveUnavailable('memory: it is away')
    this.batches++
    for (const each of rows) this.rows.set(each.key, each)
  }
}

async function served(store: Store, clock: VirtualClock, count: number): Promise<void> {
  const shop = await openShop(store)
  for (let number = 0; number < count; number++) {
    const hold = await admit(store, shop, newRequestId(clock.now(), randomBytes))
    await store.holds.settle(settlement(hold))
    clock.advance(1000)
  }
}

async function start(count = 3) {
  const clock = new VirtualClock(NOON)
  const store = await openHere(await newDirectory(), clock.now)
  onTestFinished(() => store.close())
  await served(store, clock, count)
  const archive = new Kept()
  const alarms: unknown[] = []
  const archiverOn = (archived: ArchiveStore, holder = 'one') => {
    const ports = { archive, keep: () => 2 * DAY_MS, holder, clock, alarm: (text: string) => void alarms.push(text) }
    const archiver = new Archiver({ store: archived, ...ports })
    onTestFinished(() => archiver.close())
    return archiver
  }
  return { clock, store, archive, alarms, archiverOn }
}

it('rows leave once they are old enough, and not before', async () => {
  const { clock, store, archive, archiverOn } = await start()
  const rows = await ledgerOf(store)
  const archiver = archiverOn(store.archive)
  await archiver.turn()
  expect(archive.rows.size).toBe(0)

  clock.advance(2 * DAY_MS + HOUR_MS)
  await archiver.turn()
  expect([...archive.rows.values()].map(({ row }) => row)).toEqual(rows)
  expect(await ledgerOf(store)).toEqual([])
  expect(archiver.state).toMatchObject({ isHere: true, archived: 3, failures: 0, waiting: { rows: 0 }, lagMs: 0 })
})

it('a week without the archive loses nothing, tells how much waits, and is one alarm an hour', async () => {
  const { clock, store, archive, alarms, archiverOn } = await start()
  const rows = await ledgerOf(store)
  const archiver = archiverOn(store.archive)
  archive.away = true
  clock.advance(9 * DAY_MS)
  await archiver.turn()
  await archiver.turn()

  expect(await ledgerOf(store)).toEqual(rows)
  expect(archiver.state).toMatchObject({
    archived: 0,
    lastError: 'memory: it is away',
    waiting: { rows: 3, oldest: NOON },
  })
  expect(archiver.state.lagMs).toBeGreaterThanOrEqual(7 * DAY_MS)
  expect(alarms).toEqual(['the archive of the ledger takes no rows; they stay in the store'])
  clock.advance(HOUR_MS)
  await archiver.turn()
  expect(alarms).toHaveLength(2)

  archive.away = false
  clock.advance(60_000)
  await archiver.turn()
  expect(archive.rows.size).toBe(3)
  expect(archiver.state).toMatchObject({ archived: 3, waiting: { rows: 0 }, lagMs: 0 })
  expect(archiver.state.lastError).toBeUndefined()
  expect(alarms.at(-1)).toBe('the archive of the ledger takes rows again')
})

it('it asks an archive that is away less and less often', async () => {
  const { clock, store, archive, archiverOn } = await start()
  const archiver = archiverOn(store.archive)
  archive.away = true
  clock.advance(3 * DAY_MS)
  for (let second = 0; second < 300; second += 10) {
    await archiver.turn()
    clock.advance(10_000)
  }
  expect(archiver.state.failures).toBeGreaterThan(4)
  expect(archiver.state.failures).toBeLessThan(10)
})

it('rows whose removal failed come again, and the archive has them once', async () => {
  const { clock, store, archive, archiverOn } = await start()
  let dies = true
  const dying: ArchiveStore = {
    lease: async () => true,
    release: async () => {},
    readLeaving: (age, most) => store.archive.readLeaving(age, most),
    readWaiting: age => store.archive.readWaiting(age),
    remove: rows => (dies ? Promise.reject(new Error('the process was killed')) : store.archive.remove(rows)),
  }
  clock.advance(3 * DAY_MS)
  await archiverOn(dying).turn()
  expect(await ledgerOf(store)).toHaveLength(3)
  dies = false
  await archiverOn(dying).turn()

  expect(await ledgerOf(store)).toEqual([])
  expect(archive.rows.size).toBe(3)
})

it('who has no lease writes nothing and removes nothing, also where it lost it meanwhile', async () => {
  const { clock, store, archive, archiverOn } = await start()
  let leases = 0
  const taken: ArchiveStore = {
    lease: async () => leases-- > 0,
    release: async () => {},
    readLeaving: (age, most) => store.archive.readLeaving(age, most),
    readWaiting: age => store.archive.readWaiting(age),
    remove: rows => store.archive.remove(rows),
  }
  clock.advance(3 * DAY_MS)
  const archiver = archiverOn(taken)
  await archiver.turn()
  expect(archive.batches).toBe(0)
  // All the same it knows how much waits.
  expect(archiver.state).toMatchObject({ isHere: false, waiting: { rows: 3 } })
  leases = 1
  await archiver.turn()
  expect(archive.rows.size).toBe(3)
  expect(await ledgerOf(store)).toHaveLength(3)
})
