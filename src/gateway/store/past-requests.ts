import { setImmediate } from 'node:timers/promises'
import type { Millis } from '../../policy/config.ts'
import { isWasted, type LedgerRow, shownKind } from '../../records/ledger-row.ts'
import { LONGEST_ADMISSION_MS } from './archive-store.ts'
import type { PastQuery, PastRequests } from './ledger-store.ts'
import type { ReadBack } from './newest-rows.ts'
import type { RowIndex } from './row-index.ts'

/** A part of the rows, in the order of their places, in which all rows of a request follow one another. */
export interface Track {
  readonly readBack: ReadBack
  /** The index of its rows. */
  readonly index?: Pick<RowIndex, 'skip'> | undefined
}

export interface PastBounds {
  /** Rows of a part that are read at once. */
  readonly page: number
  /** Parts that are read side by side. */
  readonly atOnce: number
  /** Rows that are looked at. */
  readonly most: number
}

/**
 * Requests among the rows of some parts, newest first. The parts that have been read least far back are read next, so that
 * where one look ends the next one goes on, having lost nothing.
 */
export async function pastRequests(
  tracks: readonly Track[],
  query: PastQuery,
  { page, atOnce, most }: PastBounds,
): Promise<PastRequests> {
  const readers = tracks.map(track => new Reader(track, query))
  const isOver = (edge: string) => countFrom(readers, edge) > query.limit
  for (let looked = 0; ; ) {
    const open = readers.filter(({ isOpen }) => isOpen).sort((a, b) => (a.edge < b.edge ? 1 : -1))
    const edge = open[0]?.edge ?? ''
    if (open.length === 0 || looked >= most || isOver(edge)) return found(readers, edge, query.limit)
    const reads = await Promise.all(open.slice(0, atOnce).map(reader => reader.read(page)))
    looked += reads.reduce((sum, count) => sum + count, 0)
    await setImmediate()
  }
}

const countFrom = (readers: readonly Reader[], edge: string): number =>
  readers.reduce((sum, { requests }) => sum + requests.filter(rows => idOf(rows) > edge).length, 0)

/** Those behind the edge may have others between them. */
function found(readers: readonly Reader[], edge: string, limit: number): PastRequests {
  const all = readers.flatMap(({ requests }) => requests).sort((a, b) => (idOf(a) < idOf(b) ? 1 : -1))
  const whole = all.filter(rows => idOf(rows) > edge)
  const requests = whole.slice(0, limit)
  const last = requests.at(-1)
  if (whole.length > limit && last) return { requests, next: idOf(last) }
  return edge === '' ? { requests } : { requests, next: edge }
}

const idOf = ([first]: readonly LedgerRow[]): string => first?.requestId ?? ''

/** Reads one part back. */
class Reader {
  /** Those that are asked for, newest first. */
  readonly requests: (readonly LedgerRow[])[] = []
  isOpen = true
  readonly #track: Track
  readonly #query: PastQuery
  #before: string | undefined
  /** Rows of the request that was read last, which may have more. */
  #rows: LedgerRow[] = []

  constructor(track: Track, query: PastQuery) {
    this.#track = track
    this.#query = query
    this.#before = query.before
  }

  /** All requests whose ids are behind this text were read. */
  get edge(): string {
    return this.#rows[0]?.requestId ?? this.#before?.slice(0, ID) ?? LAST
  }

  /** Reads the next page back. Resolves to how many rows it looked at. */
  async read(page: number): Promise<number> {
    const skipped = this.#track.index?.skip(this.#before, this.#query)
    if (skipped?.isBetween) this.#complete()
    if (skipped) {
      this.#rows = []
      this.#before = skipped.before
    }
    const read = await this.#track.readBack(this.#before, page)
    for (const { row } of read) {
      if (row.requestId !== this.#rows[0]?.requestId) this.#complete()
      this.#rows.push(row)
      if (row.admittedAt < this.#query.since - LONGEST_ADMISSION_MS) return this.#end(read.length)
    }
    if (read.length < page) return this.#end(read.length)
    this.#before = read.at(-1)?.place
    return read.length
  }

  #end(looked: number): number {
    this.#complete()
    this.isOpen = false
    return looked
  }

  #complete(): void {
    const rows = this.#rows.reverse()
    this.#rows = []
    if (rows.length > 0 && isMeant(rows, this.#query)) this.requests.push(rows)
  }
}

/** The length of a request id: what follows it in a place tells its rows from one another. */
const ID = 30
/** Behind every id. */
const LAST = '\uffff'

/** Whether a request is one that is asked for. */
export function isMeant(rows: readonly LedgerRow[], query: PastQuery): boolean {
  const { account, key, model, pool, label, slow = 0, failed, copied } = query
  const { since, until = Number.POSITIVE_INFINITY } = query
  const [first] = rows
  if (!first || first.admittedAt < since || first.admittedAt >= until) return false
  if (account !== undefined && first.account !== account) return false
  if (label && !rows.some(({ labels }) => labels?.[label.name] === label.value)) return false
  const has = (wanted: string | undefined, of: 'key' | 'model' | 'pool') =>
    wanted === undefined || rows.some(row => row[of] === wanted)
  if (!has(key, 'key') || !has(model, 'model') || !has(pool, 'pool')) return false
  if (copied && !rows.some(row => shownKind(row) === 'mirror')) return false
  return (slow === 0 || lengthOf(rows) >= slow) && (!failed || isFailed(rows))
}

/** From the admission to the last settlement. Nobody waits for a copy. */
export const lengthOf = (rows: readonly LedgerRow[]): Millis =>
  Math.max(0, ...rows.filter(({ mirror }) => !mirror).map(({ settledAt, admittedAt }) => settledAt - admittedAt))

/** It has failed attempts and no charge, or its gateway died. */
export const isFailed = (rows: readonly LedgerRow[]): boolean =>
  rows.every(isWasted) || rows.some(({ kind }) => kind === 'orphan')
