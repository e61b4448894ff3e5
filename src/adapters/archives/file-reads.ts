import { idAt } from '../../gateway/accounts/keys.ts'
import { type ArchiveReader, ArchiveUnavailable, type IdRange } from '../../gateway/archive/archive.ts'
import { byRequest, idOf, type RequestRows } from '../../gateway/archive/joined-requests.ts'
import { LONGEST_ADMISSION_MS } from '../../gateway/store/archive-store.ts'
import type { LedgerQuery, PastQuery, PastRequests } from '../../gateway/store/ledger-store.ts'
import { isMeant } from '../../gateway/store/past-requests.ts'
import type { EpochMs, Millis } from '../../policy/config.ts'
import type { LedgerRow } from '../../records/ledger-row.ts'
import { idInLine, nameOf, readArchivedLine } from './archived-line.ts'
import { type DayEnd, dayEnds, dayFile, linesIn, reasonOf, unlessMissing } from './day-files.ts'

/**
 * Reads the files of a directory back. A file has no index: of a day that may have a row of interest, all is read. Files that
 * an operator moved away have no rows. The newest rows of one account, which its clients ask for, are not looked for.
 */
export class FileReads implements ArchiveReader {
  readonly #directory: string
  readonly #shown: string

  constructor(directory: string, shown: string) {
    this.#directory = directory
    this.#shown = shown
  }

  async *readRows(query: LedgerQuery, range: IdRange): AsyncGenerator<LedgerRow, void, undefined> {
    try {
      const days = (await this.#days()).filter(day => mayHave(day, query, range))
      // Those that rows of the next day may come before.
      let carried: readonly NamedRow[] = []
      for (const day of days) {
        const edge = idAt(day.start + DAY_MS - LONGEST_ADMISSION_MS)
        const rest: NamedRow[] = []
        for await (const each of merged(carried, this.#inOrder(day, query, range)))
          if (each.name < edge) yield each.row
          else rest.push(each)
        carried = rest
      }
      for (const { row } of carried) yield row
    } catch (error) {
      throw new ArchiveUnavailable(`${this.#shown}: ${reasonOf(error)}`, { cause: error })
    }
  }

  /** Looks at the files of a day at least, and on to earlier days until it has read so much. */
  async readPast(query: PastQuery, range: IdRange): Promise<PastRequests> {
    const days = (await this.#days()).filter(day => mayHave(day, query, range)).reverse()
    const found: RequestRows[] = []
    let before = query.before ?? BEHIND_ALL
    let bytes = 0
    for (const [place, day] of days.entries()) {
      // Ids of a day are from a little before it on, so that the edge is between the rows of two files.
      const edge = place === days.length - 1 ? '' : idAt(day.start + LONGEST_ADMISSION_MS)
      if (edge >= before) continue
      found.unshift(...(await this.#newest(query, { ...range, ...laterOf(range.from, edge) }, before)))
      before = edge
      bytes += day.end.bytes
      if (found.length > query.limit || bytes >= MOST_BYTES) break
    }
    const requests = found.slice(-query.limit).reverse()
    const last = requests.at(-1)
    if (found.length > query.limit && last) return { requests, next: idOf(last) }
    return before === '' || days.length === 0 ? { requests } : { requests, next: before }
  }

  async readRequest(requestId: string): Promise<readonly LedgerRow[]> {
    const rows: LedgerRow[] = []
    for await (const row of this.readRows({}, { from: requestId, to: requestId })) rows.push(row)
    return rows
  }

  /** The last requests that are meant, and one more than are asked for; oldest first. */
  async #newest(query: PastQuery, range: IdRange, before: string): Promise<readonly RequestRows[]> {
    const { account, key, since, until } = query
    const rows = this.readRows(
      {
        ...(account !== undefined && { account }),
        ...(key !== undefined && { key }),
        since,
        ...(until !== undefined && { until }),
      },
      { ...range, to: before },
    )
    const newest: RequestRows[] = []
    for await (const request of byRequest(rows)) {
      if (idOf(request) >= before || !isMeant(request, query)) continue
      newest.push(request)
      if (newest.length > query.limit + 1) newest.shift()
    }
    return newest
  }

  /** Oldest first. */
  async #days(): Promise<readonly Day[]> {
    const days = Array.from(await dayEnds(this.#directory), ([name, end]) => ({ name, start: Date.parse(name), end }))
    return days.sort((a, b) => a.start - b.start)
  }

  /**
   * The rows of a day that are asked for, in the order of their ids. Where they are many, those that stand elsewhere in the
   * file, as of requests that ended days later, are looked up first.
   */
  async *#inOrder(day: Day, query: LedgerQuery, range: IdRange): AsyncGenerator<NamedRow, void, undefined> {
    const first: NamedRow[] = []
    const strays: NamedRow[] = []
    let greatest = ''
    for await (const rows of this.#rowsOf(day, query, range))
      for (const each of rows) {
        if (first.length <= MOST_SORTED) first.push(each)
        if (each.name < greatest) strays.push(each)
        else greatest = each.name
      }
    if (first.length <= MOST_SORTED) return yield* first.sort(byName)
    const known = new Set(strays.map(({ name }) => name))
    yield* merged(strays.sort(byName), without(known, this.#rowsOf(day, query, range)))
  }

  /** As they stand in the file, some at a time. */
  async *#rowsOf(
    { name, end }: Day,
    query: LedgerQuery,
    range: IdRange,
  ): AsyncGenerator<readonly NamedRow[], void, undefined> {
    const { account } = query
    const mark = account === undefined ? '' : `"account":${JSON.stringify(account)}`
    const rowOf = (line: string): NamedRow[] => {
      // Without reading all of a line that is not asked for.
      if (!isIn(idInLine(line), range) || !line.includes(mark)) return []
      const { place, row } = readArchivedLine(line)
      return isAsked(row, query) ? [{ name: nameOf(row.requestId, place), row }] : []
    }
    try {
      for await (const lines of linesIn(dayFile(this.#directory, name), end.bytes)) yield lines.flatMap(rowOf)
    } catch (error) {
      unlessMissing(error)
    }
  }
}

interface Day {
  readonly name: string
  readonly start: EpochMs
  readonly end: DayEnd
}

interface NamedRow {
  readonly name: string
  readonly row: LedgerRow
}

const DAY_MS: Millis = 86_400_000
/** Bytes of compressed files that one query reads: a million rows are about 40 MB. */
const MOST_BYTES = 20_000_000
/** Rows of a day that are put in order in memory. */
const MOST_SORTED = 20_000
const BEHIND_ALL = '\uffff'

/** Clocks of the gateway, which makes ids, and of the store, which admits, may differ a little. */
function mayHave({ start, end }: Day, { since = 0, until = Number.POSITIVE_INFINITY }: LedgerQuery, range: IdRange) {
  const [first, behind] = [idAt(start - LONGEST_ADMISSION_MS), idAt(start + DAY_MS + LONGEST_ADMISSION_MS)]
  const { from = '', after = '', to = BEHIND_ALL } = range
  const isInRange = first <= to && behind > from && behind > after && end.last > `${after} ${BEHIND_ALL}`
  return isInRange && start + DAY_MS > since && start < until
}

const isIn = (id: string, { from = '', after = '', to = BEHIND_ALL }: IdRange): boolean =>
  id >= from && id > after && id <= to

const isAsked = (row: LedgerRow, { account, key, since = 0, until = Number.POSITIVE_INFINITY }: LedgerQuery): boolean =>
  (account === undefined || row.account === account) &&
  (key === undefined || row.key === key) &&
  row.admittedAt >= since &&
  row.admittedAt < until

const laterOf = (from = '', edge: string): IdRange => ({ from: from > edge ? from : edge })

const byName = (a: NamedRow, b: NamedRow): number => (a.name < b.name ? -1 : 1)

async function* without(
  names: ReadonlySet<string>,
  some: AsyncIterable<readonly NamedRow[]>,
): AsyncGenerator<NamedRow, void, undefined> {
  for await (const rows of some) for (const each of rows) if (!names.has(each.name)) yield each
}

/** Two sequences of rows in the order of their names as one. */
async function* merged(
  some: readonly NamedRow[],
  others: AsyncIterable<NamedRow>,
): AsyncGenerator<NamedRow, void, undefined> {
  let at = 0
  for await (const other of others) {
    for (let next = some[at]; next && next.name < other.name; next = some[++at]) yield next
    yield other
  }
  yield* some.slice(at)
}
