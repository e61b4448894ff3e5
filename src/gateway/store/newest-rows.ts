import { setImmediate } from 'node:timers/promises'
import type { LedgerRow } from '../../records/ledger-row.ts'
import { LONGEST_ADMISSION_MS } from './archive-store.ts'
import type { NewestQuery, NewestRows, RecentQuery } from './ledger-store.ts'

/**
 * The newest rows of an account among those of many accounts. It looks at no more than some rows, and then ends between two
 * milliseconds, so that where to look on names no request of another account.
 */
export async function newestRows(
  readBack: ReadBack,
  { account, before, limit }: NewestQuery,
  { page, most }: NewestBounds = { page: 256, most: 10_000 },
): Promise<NewestRows> {
  const rows: LedgerRow[] = []
  let [looked, requests, last] = [0, 0, '']
  for await (const row of backwards(readBack, before, page)) {
    const isNext = looked > 0 && row.requestId !== last
    if (isNext && requests >= limit) return { rows, next: last }
    const moment = momentOf(last)
    if (isNext && looked >= most && momentOf(row.requestId) !== moment) return { rows, next: moment }
    looked++
    last = row.requestId
    if (row.account !== account || row.kind === 'waste') continue
    rows.push(row)
    if (row.kind !== 'late') requests++
  }
  return { rows }
}

/** The rows of all accounts back to a moment, newest first. */
export async function* recentRows(
  readBack: ReadBack,
  { since, most }: RecentQuery,
  page = 256,
): AsyncGenerator<LedgerRow, void, undefined> {
  let looked = 0
  for await (const row of backwards(readBack, undefined, page)) {
    // Ids are made a little before requests are admitted: what is only just too old may stand before what is not.
    if (looked++ >= most || row.admittedAt < since - LONGEST_ADMISSION_MS) return
    if (row.admittedAt >= since) yield row
  }
}

/** A row, and the text by which rows are ordered. */
export interface Placed {
  readonly place: string
  readonly row: LedgerRow
}

/** Reads at most `limit` rows whose place is before a text, the last one first. */
export type ReadBack = (before: string | undefined, limit: number) => Promise<readonly Placed[]>

/** How many rows are read at once, and how many are looked at. */
interface NewestBounds {
  readonly page: number
  readonly most: number
}

/** In pages, between which requests get their turn. */
async function* backwards(
  readBack: ReadBack,
  before: string | undefined,
  page: number,
): AsyncGenerator<LedgerRow, void, undefined> {
  let from = before
  for (;;) {
    const read = await readBack(from, page)
    for (const { row } of read) yield row
    if (read.length < page) return
    from = read.at(-1)?.place
    await setImmediate()
  }
}

/** `req_` and the time: what the ids of one millisecond begin with. */
const momentOf = (requestId: string): string => requestId.slice(0, 14)
