import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'
import { FileArchive } from '../../../src/adapters/archives/file-archive.ts'
import { PostgresArchive } from '../../../src/adapters/archives/postgres/archive.ts'
import { lockDirectory } from '../../../src/adapters/embedded/store-directory.ts'
import { newRequestId } from '../../../src/gateway/accounts/keys.ts'
import { type Archive, type ArchiveReader, ArchiveUnavailable } from '../../../src/gateway/archive/archive.ts'
import { ArchivedLedger } from '../../../src/gateway/archive/archived-ledger.ts'
import type { LedgerStore, NewestQuery, PastQuery } from '../../../src/gateway/store/ledger-store.ts'
import type { Store } from '../../../src/gateway/store/store.ts'
import type { LedgerRow } from '../../../src/records/ledger-row.ts'
import { newDirectory, openHere } from '../../adapters/store/directory.ts'
import { admit, claimsOf, clockAt, NOON, openShop, settlement, waste } from '../../adapters/store/fixtures.ts'
import { inNpmTest } from '../../lanes/lane.ts'
import { describePostgres, usePostgres } from '../../support/postgres.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const LABELS = ['a', 'b', 'c']

/** A request of a past hour. */
interface Past {
  readonly hour: number
  readonly label: string
  readonly end: 'settled' | 'failed' | 'both'
}

const past = fc.record({
  hour: fc.integer({ min: 0, max: 96 }),
  label: fc.constantFrom(...LABELS),
  end: fc.constantFrom('settled' as const, 'settled' as const, 'failed' as const, 'both' as const),
})

/** Two stores with the same requests. */
async function pair(requests: readonly Past[]) {
  const clock = clockAt(NOON)
  const stores = [await openHere(await newDirectory(), clock.now), await openHere(await newDirectory(), clock.now)]
  onTestFinished(async () => {
    for (const store of stores) await store.close()
  })
  for (const { hour, label, end } of [...requests].sort((a, b) => a.hour - b.hour)) {
    clock.at = Math.max(clock.at + 1, NOON + hour * HOUR_MS)
    const requestId = newRequestId(clock.at, randomBytes)
    for (const store of stores) {
      const hold = await admit(store, await openShop(store, label), requestId, claimsOf({ at: clock.at }))
      if (end !== 'settled') await store.ledger.recordWaste([waste(hold, 1), waste(hold, 2)])
      if (end === 'failed') await store.holds.refund(hold)
      else await store.holds.settle(settlement(hold))
    }
  }
  clock.at = NOON + 100 * HOUR_MS
  const [whole, parted] = stores
  if (!whole || !parted) throw new Error('two stores were opened')
  return { whole, parted, clock }
}

async function rowsOf(ledger: Pick<LedgerStore, 'readRows'>, query = {}): Promise<LedgerRow[]> {
  const rows: LedgerRow[] = []
  for await (const row of ledger.readRows(query)) rows.push(row)
  return rows
}

async function pastOf(ledger: Pick<LedgerStore, 'readPast'>, query: PastQuery) {
  const found: (readonly LedgerRow[])[] = []
  for (let before: string | undefined; ; ) {
    const page = await ledger.readPast(before === undefined ? query : { ...query, before })
    found.push(...page.requests)
    if (page.next === undefined) return found
    before = page.next
  }
}

async function newestOf(ledger: Pick<LedgerStore, 'readNewest'>, query: NewestQuery) {
  const found: LedgerRow[] = []
  for (let before: string | undefined; ; ) {
    const page = await ledger.readNewest(before === undefined ? query : { ...query, before })
    found.push(...page.rows)
    if (page.next === undefined) return found
    before = page.next
  }
}

/** Takes some rows to the archive, the last of them without removing them, as where a process dies. */
async function leave(store: Store, archive: Archive, most: number, kept: number): Promise<void> {
  const rows = await store.archive.readLeaving(DAY_MS, most)
  if (rows.length === 0) return
  await archive.write(rows)
  const requests = [...new Set(rows.map(({ row }) => row.requestId))]
  const stay = new Set(requests.slice(Math.max(0, requests.length - kept)))
  await store.archive.remove(rows.filter(({ row }) => !stay.has(row.requestId)))
}

/** Whatever is asked of rows is answered as by a store that has all of them; an archive may have others. */
async function expectSame(ledger: LedgerStore, whole: LedgerStore): Promise<void> {
  const all = await rowsOf(whole)
  const ids = new Set(all.map(({ requestId }) => requestId))
  const own = (rows: readonly LedgerRow[]) => rows.filter(({ requestId }) => ids.has(requestId))

  expect(own(await rowsOf(ledger))).toEqual(all)
  const account = all[0]?.account ?? 'nobody'
  const since = NOON + 20 * HOUR_MS
  const until = NOON + 80 * HOUR_MS
  for (const query of [{ account }, { since, until }, { account, since }])
    expect(own(await rowsOf(ledger, query))).toEqual(await rowsOf(whole, query))
  for (const query of [
    { since: 0, limit: 3 },
    { since, until, limit: 3, account },
    { since: 0, limit: 4, failed: true as const },
    { since: 0, limit: 2, pool: 'cloud-core' },
  ])
    expect((await pastOf(ledger, query)).filter(([row]) => row && ids.has(row.requestId))).toEqual(
      await pastOf(whole, query),
    )
  for (const id of ids) expect(await ledger.readRequest(id)).toEqual(await whole.readRequest(id))
}

inNpmTest.it(
  'rows in a directory and in the store are answered as by a store that has all rows',
  async () => {
    const parts = fc.tuple(fc.nat(40), fc.nat(20), fc.nat(3))
    await fc.assert(
      fc.asyncProperty(fc.array(past, { maxLength: 40 }), parts, async (requests, [most, more, kept]) => {
        const { whole, parted, clock } = await pair(requests)
        const archive = new FileArchive(await newDirectory(), lockDirectory)
        await leave(parted, archive, most, kept)
        await leave(parted, archive, more, 0)
        await expectSame(new ArchivedLedger(parted.ledger, archive.reader, clock.now), whole.ledger)
        await archive.close()
      }),
      { numRuns: 15 },
    )
  },
  60_000,
)

describePostgres('a ledger of which a part is in an archive', () => {
  const server = usePostgres()

  async function openArchive() {
    const { port, createDatabase } = server()
    const place = { host: '127.0.0.1', port, user: 'owner', database: await createDatabase(), shown: 'archive' }
    const archive = new PostgresArchive({ ...place, isTls: false, secrets: () => ({ password: 'secret' }) }, 'svc')
    onTestFinished(() => archive.close())
    return archive
  }

  it('answers whatever is asked as a store would that has all rows', async () => {
    const archive = await openArchive()
    await fc.assert(
      fc.asyncProperty(fc.array(past, { maxLength: 40 }), fc.nat(40), fc.nat(3), async (requests, most, kept) => {
        const { whole, parted, clock } = await pair(requests)
        await leave(parted, archive, most, kept)
        const ledger = new ArchivedLedger(parted.ledger, archive.reader, clock.now)
        await expectSame(ledger, whole.ledger)
        const all = await rowsOf(whole.ledger)
        const ids = new Set(all.map(({ requestId }) => requestId))
        const query = { account: all[0]?.account ?? 'nobody', limit: 3 }
        const newest = (await newestOf(ledger, query)).filter(({ requestId }) => ids.has(requestId))
        expect(newest).toEqual(await newestOf(whole.ledger, query))
      }),
      { numRuns: 12 },
    )
  }, 120_000)

  it('rows that leave while they are read are there once', async () => {
    const archive = await openArchive()
    const requests = Array.from({ length: 60 }, (_, hour): Past => ({ hour, label: 'a', end: 'both' }))
    const { whole, parted, clock } = await pair(requests)
    // Between the reads of both, and between pages, some more leave.
    const reader: ArchiveReader = {
      async *readRows(query, range) {
        await leave(parted, archive, 30, 1)
        yield* archive.reader.readRows(query, range)
      },
      readNewest: async (query, range) => {
        await leave(parted, archive, 9, 1)
        return archive.reader.readNewest(query, range)
      },
      readPast: async (query, range) => {
        await leave(parted, archive, 9, 1)
        return archive.reader.readPast(query, range)
      },
      readRequest: id => archive.reader.readRequest(id),
    }
    const ledger = new ArchivedLedger(parted.ledger, reader, clock.now)
    const [{ account = '' } = {}] = await rowsOf(whole.ledger)

    expect(await pastOf(ledger, { since: 0, limit: 5 })).toEqual(await pastOf(whole.ledger, { since: 0, limit: 5 }))
    expect(await newestOf(ledger, { account, limit: 5 })).toEqual(await newestOf(whole.ledger, { account, limit: 5 }))
    expect(await rowsOf(ledger)).toEqual(await rowsOf(whole.ledger))
  })
})

const away: ArchiveReader = {
  // biome-ignore lint/correctness/useYield: it is away.
  async *readRows() {
    throw new ArchiveUnavailable('away')
  },
  readNewest: () => Promise.reject(new ArchiveUnavailable('away')),
  readPast: () => Promise.reject(new ArchiveUnavailable('away')),
  readRequest: () => Promise.reject(new ArchiveUnavailable('away')),
}

inNpmTest.it('while the archive is away, what is young is answered, and older looks say that it is away', async () => {
  const { parted, clock } = await pair([
    { hour: 10, label: 'a', end: 'settled' },
    { hour: 95, label: 'a', end: 'settled' },
  ])
  const ledger = new ArchivedLedger(parted.ledger, away, clock.now)
  const [old, young] = await rowsOf(parted.ledger)
  const { account = '' } = young ?? {}

  const newest = await ledger.readNewest({ account, limit: 5 })
  expect(newest.rows).toEqual([young])
  expect(newest.next).toBeDefined()
  await expect(ledger.readNewest({ account, limit: 5, before: newest.next ?? '' })).rejects.toThrow(ArchiveUnavailable)
  expect((await ledger.readPast({ since: 0, limit: 5 })).requests).toEqual([[young]])
  expect(await ledger.readPast({ since: clock.at - HOUR_MS * 6, limit: 5 })).toEqual({ requests: [[young]] })
  expect(await ledger.readRequest(young?.requestId ?? '')).toEqual([young])
  // The store has it still.
  expect(await ledger.readRequest(old?.requestId ?? '')).toEqual([old])
  await expect(rowsOf(ledger)).rejects.toThrow(ArchiveUnavailable)
  expect(await rowsOf(ledger, { since: clock.at - HOUR_MS * 6 })).toEqual([young])
})
