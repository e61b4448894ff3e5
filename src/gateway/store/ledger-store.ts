import type { Calendar } from '../../policy/calendar.ts'
import type { Config, EpochMs, Millis } from '../../policy/config.ts'
import type { Bill, LedgerRow } from '../../records/ledger-row.ts'
import type { ToolTotal, Total, WasteTotal } from '../../records/sums.ts'
import type { IssuedInvoice } from './issued-invoice.ts'

/** Charges, and the costs of failed attempts: one facet of the Store, see there for atomicity, clock and outages. */
export interface LedgerStore {
  /**
   * Writes what failed attempts cost the operator: rows of kind `waste`, once per request id and attempt, for as long as
   * rows are kept. They change no account, limit or total of clients. Durable.
   */
  recordWaste(rows: readonly Waste[]): Promise<void>

  /**
   * Rows of one account, or of all, in the order of their request ids, which is the order of admission. The rows of one
   * request follow one another: what it was charged, then the cost of its failed attempts.
   */
  readRows(query?: LedgerQuery): AsyncIterable<LedgerRow>
  /** The newest rows of one account, as far as a bounded look finds them. */
  readNewest(query: NewestQuery): Promise<NewestRows>
  /**
   * Rows of all accounts whose requests were admitted at or after a moment, newest first in each part of the store. At most
   * so many rows are looked at.
   */
  readRecent(query: RecentQuery): AsyncIterable<LedgerRow>
  /** Requests of one account, or of all, newest first, as far as a bounded look finds them. */
  readPast(query: PastQuery): Promise<PastRequests>
  /** Takes a part of the rows that are new since into the index of this process, by which `readPast` passes over others. */
  index(): Promise<void>
  /** The rows of one request, in their order. */
  readRequest(requestId: string): Promise<readonly LedgerRow[]>
  /** Sums by day, account, plan, model and key over all rows ever written, also those removed since, of one account or of all. */
  readTotals(query?: AccountTotalsQuery): AsyncIterable<Total>
  /** Calls of hosted tools and quantities of charges over the same rows, but for those of gateways before these were counted. */
  readTools(query?: Omit<AccountTotalsQuery, 'among'>): AsyncIterable<ToolTotal>
  /** The cost of failed attempts by day and pool, over all rows ever written too. */
  readWaste(query?: TotalsQuery): AsyncIterable<WasteTotal>

  /**
   * Keeps an invoice as it is issued, unless the account has one of that month already. Resolves to the one that is kept.
   * Durable.
   */
  keepInvoice(invoice: IssuedInvoice): Promise<IssuedInvoice>
  /** The issued invoices of an account for these months, in no order. */
  readInvoices(account: string, months: readonly string[]): Promise<readonly IssuedInvoice[]>

  /**
   * Removes rows of requests admitted before a moment; totals and spend keep them. Resolves to their number. It may also remove
   * counters that have expired at `at`, which is never the time of a clock that was set ahead. `calendar` is the files' calendar,
   * which defines the days of the sums; UTC if absent.
   */
  trim(before: EpochMs, at?: EpochMs, calendar?: Calendar): Promise<number>
}

/** One failed attempt that a backend may have worked for. */
export interface Waste {
  /** The attempt of the request, from 1: with the request id, the identity of the row. */
  readonly attempt: number
  /** Tokens and cost of the attempt: the operator's, at the prices of the pool that failed. */
  readonly bill: Bill
  /** `status 500`, `first content timeout`: for the operator. */
  readonly cause: string
}

export interface LedgerQuery {
  readonly account?: string
  /** Rows of requests that came with the key of this id. */
  readonly key?: string
  /** Rows of requests admitted at or after this moment. */
  readonly since?: EpochMs
  /** Rows of requests admitted before this moment. */
  readonly until?: EpochMs
}

/** Whether a row is one of those that are asked for. */
export const isAsked = ({ account, key, admittedAt }: LedgerRow, query: LedgerQuery): boolean =>
  (query.account === undefined || account === query.account) &&
  (query.key === undefined || key === query.key) &&
  admittedAt >= (query.since ?? 0) &&
  admittedAt < (query.until ?? Number.POSITIVE_INFINITY)

/** The newest requests of an account, and waste is none of them. */
export interface NewestQuery {
  readonly account: string
  /** Those whose id is before this text. */
  readonly before?: string
  /** So many requests. */
  readonly limit: number
}

export interface NewestRows {
  /** Newest request first. Those of a request follow one another: what came late is before what it adds to. */
  readonly rows: readonly LedgerRow[]
  /** Where to look on: `before`. Absent where there are no older rows. */
  readonly next?: string
}

export interface RecentQuery {
  readonly since: EpochMs
  readonly most: number
}

/** Which requests of the past an operator asks for. */
export interface PastQuery {
  readonly account?: string
  /** The id of a key. */
  readonly key?: string
  readonly model?: string
  /** That was charged for, or failed. */
  readonly pool?: string
  /** A value of a label. */
  readonly label?: { readonly name: string; readonly value: string }
  /** That took this long at least. */
  readonly slow?: Millis
  /** Those alone that have failed attempts and no charge, or whose gateway died. */
  readonly failed?: true
  /** Those alone of which a copy went to a mirror. */
  readonly copied?: true
  /** Admitted at or after this moment. */
  readonly since: EpochMs
  /** Admitted before this moment. */
  readonly until?: EpochMs
  /** Those whose id is before this text. */
  readonly before?: string
  /** So many requests. */
  readonly limit: number
}

export interface PastRequests {
  /** Newest first, each with its rows in their order: what it was charged, and its failed attempts. */
  readonly requests: readonly (readonly LedgerRow[])[]
  /** Where to look on: `before`. Absent where there are no older ones. */
  readonly next?: string
}

export interface TotalsQuery {
  /** First UTC day, in days since the epoch. */
  readonly since?: number
  /** The day after the last one. */
  readonly until?: number
}

export interface AccountTotalsQuery extends TotalsQuery {
  readonly account?: string
  /**
   * With an account: the names that matter. A store with very many accounts, which would have to read those of all to
   * find the sums of one, need not have those of other plans and models, and of keys that ended long ago.
   */
  readonly among?: Names
}

interface Names {
  readonly plans: readonly string[]
  readonly models: readonly string[]
}

/** The names that the files have now. */
export const namesIn = ({ plans, models }: Pick<Config, 'plans' | 'models'>): Names => ({
  plans: [...plans.keys()],
  models: [...models.keys()],
})

/**
 * Is called with each row that this process wrote, once it is durable. `requests` is 0 where the request had a row before.
 * Never throws.
 */
export type Wrote = (row: LedgerRow, requests: 0 | 1) => void
