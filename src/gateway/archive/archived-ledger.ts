import type { Calendar } from '../../policy/calendar.ts'
import type { EpochMs, Millis } from '../../policy/config.ts'
import type { LedgerRow } from '../../records/ledger-row.ts'
import { idAt } from '../accounts/keys.ts'
import { batchesOf } from '../batches.ts'
import type { IssuedInvoice } from '../store/issued-invoice.ts'
import type {
  AccountTotalsQuery,
  LedgerQuery,
  LedgerStore,
  NewestQuery,
  NewestRows,
  PastQuery,
  PastRequests,
  RecentQuery,
  TotalsQuery,
  Waste,
} from '../store/ledger-store.ts'
import type { Store } from '../store/store.ts'
import { StoreUnavailable } from '../store/store.ts'
import type { ArchiveReader, IdRange } from './archive.ts'
import { byRequest, idOf, joined, joinedRows, type RequestRows } from './joined-requests.ts'

/** A store whose ledger includes the archived rows. */
export const withArchive = (store: Store, archive: ArchiveReader, now: () => EpochMs): Store => ({
  keys: store.keys,
  accounts: store.accounts,
  orgs: store.orgs,
  holds: store.holds,
  ledger: new ArchivedLedger(store.ledger, archive, now),
  archive: store.archive,
  budgets: store.budgets,
  responses: store.responses,
  fleet: store.fleet,
  series: store.series,
  notices: store.notices,
  logins: store.logins,
  labels: store.labels,
  dump: () => store.dump(),
  proveWritable: () => store.proveWritable(),
  close: () => store.close(),
})

/**
 * The rows of the store and of its archive as one ledger. Rows go from the store to the archive and never back, so that of each
 * range of ids the store is read before the archive: then a row that goes meanwhile is in one of both, or in both. Sums are in
 * the store alone.
 */
export class ArchivedLedger implements LedgerStore {
  readonly #near: LedgerStore
  readonly #far: ArchiveReader
  readonly #now: () => EpochMs

  constructor(near: LedgerStore, far: ArchiveReader, now: () => EpochMs) {
    this.#near = near
    this.#far = far
    this.#now = now
  }

  async *readRows(query: LedgerQuery = {}): AsyncGenerator<LedgerRow, void, undefined> {
    let after: string | undefined
    for await (const chunk of batchesOf(byRequest(this.#near.readRows(query)), REQUESTS_AT_ONCE)) {
      const to = idOf(chunk.at(-1) ?? [])
      for await (const rows of this.#joined(query, chunk, rangeOf(after, to))) yield* rows
      after = to
    }
    for await (const rows of this.#joined(query, [], rangeOf(after))) yield* rows
  }

  #joined(query: LedgerQuery, chunk: readonly RequestRows[], range: IdRange): AsyncIterable<RequestRows> {
    const { since = 0 } = query
    const isYoung = (range.after ?? '') >= this.#young || since >= this.#youngSince
    return joined(chunk, isYoung ? none() : byRequest(this.#far.readRows(query, range)))
  }

  async readNewest(query: NewestQuery): Promise<NewestRows> {
    const near = await this.#near.readNewest(query)
    const { next } = near
    const readFar = this.#far.readNewest?.bind(this.#far)
    if (!readFar || (next !== undefined && next >= this.#young)) return near
    const far = await this.#look(query.before, () => readFar(query, next === undefined ? {} : { from: next }))
    if (!far) return { rows: near.rows.filter(({ requestId }) => requestId >= this.#young), next: this.#young }
    const requests = requestsOf([...near.rows].reverse())
    const more = requestsOf([...far].reverse())
    const { all, rest } = newestOf(requests, more, { limit: query.limit, edge: next })
    const rows = all.flatMap(request => [...request].reverse())
    return rest === undefined ? { rows } : { rows, next: rest }
  }

  async readPast(query: PastQuery): Promise<PastRequests> {
    const near = await this.#near.readPast(query)
    const { next } = near
    if (query.since >= this.#youngSince || (next !== undefined && next >= this.#young)) return near
    const far = await this.#look(query.before, () =>
      this.#far.readPast(query, next === undefined ? {} : { from: next }),
    )
    if (!far) return { requests: near.requests.filter(rows => idOf(rows) >= this.#young), next: this.#young }
    const edge = [next, far.next].reduce((a, b) => ((a ?? '') > (b ?? '') ? a : b))
    const [requests, more] = [near.requests, far.requests].map(each => new Map(each.map(rows => [idOf(rows), rows])))
    const { all, rest } = newestOf(requests ?? new Map(), more ?? new Map(), { limit: query.limit, edge })
    return rest === undefined ? { requests: all } : { requests: all, next: rest }
  }

  async readRequest(requestId: string): Promise<readonly LedgerRow[]> {
    const near = await this.#near.readRequest(requestId)
    if (near.some(({ kind }) => kind !== 'waste') || requestId >= this.#young) return near
    return joinedRows(near, await this.#far.readRequest(requestId))
  }

  readRecent(query: RecentQuery): AsyncIterable<LedgerRow> {
    return this.#near.readRecent(query)
  }

  index(): Promise<void> {
    return this.#near.index()
  }

  recordWaste(rows: readonly Waste[]): Promise<void> {
    return this.#near.recordWaste(rows)
  }

  readTotals(query?: AccountTotalsQuery) {
    return this.#near.readTotals(query)
  }

  readTools(query?: Omit<AccountTotalsQuery, 'among'>) {
    return this.#near.readTools(query)
  }

  readWaste(query?: TotalsQuery) {
    return this.#near.readWaste(query)
  }

  keepInvoice(invoice: IssuedInvoice) {
    return this.#near.keepInvoice(invoice)
  }

  readInvoices(account: string, months: readonly string[]) {
    return this.#near.readInvoices(account, months)
  }

  trim(before: EpochMs, at?: EpochMs, calendar?: Calendar): Promise<number> {
    return this.#near.trim(before, at, calendar)
  }

  /** Undefined while the archive is away, where a part of what is asked for is in the store for sure. */
  async #look<T>(before: string | undefined, look: () => Promise<T>): Promise<T | undefined> {
    try {
      return await look()
    } catch (error) {
      if (error instanceof StoreUnavailable && (before === undefined || before > this.#young)) return undefined
      throw error
    }
  }

  /** Requests with this id and later ones have all of their rows in the store. */
  get #young(): string {
    return idAt(this.#youngSince)
  }

  get #youngSince(): EpochMs {
    return this.#now() - YOUNG_MS
  }
}

/** Rows stay for a day at least, by the clock of the store; the other half is for clocks that differ. */
const YOUNG_MS: Millis = 43_200_000

/** Requests of the store that are held while the archive is read beside them. */
const REQUESTS_AT_ONCE = 1000

const rangeOf = (after: string | undefined, to?: string): IdRange => ({
  ...(after !== undefined && { after }),
  ...(to !== undefined && { to }),
})

async function* none(): AsyncGenerator<RequestRows, void, undefined> {}

function requestsOf(rows: readonly LedgerRow[]): ReadonlyMap<string, RequestRows> {
  const requests = new Map<string, LedgerRow[]>()
  for (const row of rows) requests.set(row.requestId, [...(requests.get(row.requestId) ?? []), row])
  return requests
}

interface Newest {
  readonly limit: number
  /** Between requests with ids before it others may be missing. */
  readonly edge: string | undefined
}

/** The newest requests of both, and where to look on. */
function newestOf(
  near: ReadonlyMap<string, RequestRows>,
  far: ReadonlyMap<string, RequestRows>,
  { limit, edge = '' }: Newest,
): { readonly all: readonly RequestRows[]; readonly rest?: string } {
  const both = new Map(far)
  for (const [id, rows] of near) both.set(id, joinedRows(rows, far.get(id) ?? []))
  const whole = [...both].filter(([id]) => id >= edge).sort(([a], [b]) => (a < b ? 1 : -1))
  const shown = whole.slice(0, limit)
  const last = shown.at(-1)?.[0]
  const rest = whole.length > limit && last !== undefined ? last : edge
  const all = shown.map(([, rows]) => rows)
  return rest === '' ? { all } : { all, rest }
}
