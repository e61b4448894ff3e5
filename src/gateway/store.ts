import type { EpochMs, Millis, NanoUsd } from '../policy/config.ts'
import type { Claims, Readings, Refuse } from '../policy/decision.ts'
import type { Terms } from '../policy/facts.ts'
import type { Judged } from '../policy/record.ts'
import type { Charge, Hold } from '../policy/standing.ts'
import type { AccountRecord, AccountStore } from './accounts/account-store.ts'
import type { AllowanceStore } from './pool-budget-store.ts'

/**
 * Where keys, accounts, standings and the ledger live. Every implementation passes test/adapters/store/contract.ts.
 * Each call is atomic and owns the clock; a call that resolves is durable where its sentence says so.
 * Rejects with StoreUnavailable when the store cannot be reached.
 *
 * A request holds what it was granted from `admit` to `settle` or `refund`, each of which has an effect once per
 * request id. A hold is a lease of LEASE_MS that `beat` renews; one that ran out is settled by `sweep` at its last
 * checkpoint, and a settlement that comes after all charges the difference.
 */
export interface Store extends AccountStore, AllowanceStore {
  /** Judges the claims and takes what they are granted, in one step. Repeating a request id changes nothing. */
  admit(admission: Admission): Promise<Admitted>
  /** Judges and takes another round of a request under way. Repeating a round changes nothing. */
  extend(extension: Extension): Promise<Extended>
  /** Renews the leases of requests under way, and keeps what each would be settled at. Those that ended are left out. */
  beat(beats: readonly Beat[]): Promise<void>
  /** Ends a hold at what the request weighed and writes its ledger row, once per request id. Durable. */
  settle(settlement: Settlement): Promise<void>
  /** Ends a hold that bought nothing. Requests of the minute and the day are not given back. Durable. */
  refund(hold: Hold): Promise<void>
  /** Settles holds whose lease ran out at their last checkpoint; those without one bought nothing. How many there were. */
  sweep(): Promise<number>
  /** What was used in the window at this moment. */
  readSpend(account: string): Promise<SpendReading>
  /** An account, and what it has used of its limits at this moment; undefined when there is none. */
  readStanding(account: string): Promise<AccountStanding | undefined>

  /**
   * Writes down what attempts cost the operator that nobody pays for: rows of kind `waste`, once per id, for as long as
   * rows are kept. No account, limit or total of clients knows of it. Durable.
   */
  recordWaste(rows: readonly Waste[]): Promise<void>

  /**
   * Rows of one account, or of all, in the order of their request ids, which is that of their admission. Those of a
   * request follow one another: what it was charged, then its waste by attempt.
   */
  readLedger(query?: LedgerQuery): AsyncIterable<LedgerRow>
  /** What was settled by day, account, plan and model: of every row there ever was, also of those removed since. */
  readTotals(query?: TotalsQuery): AsyncIterable<Total>
  /** What was wasted by day and pool, likewise. */
  readWaste(query?: TotalsQuery): AsyncIterable<WasteTotal>
  /** Removes rows of requests admitted before a moment; totals and spend keep them. How many there were. */
  trimLedger(before: EpochMs): Promise<number>
  /** Writes something small that means nothing, as durably as a settlement. Rejects with StoreUnavailable where nothing can be written. */
  proveWritable(): Promise<void>
  /** Waits for what is being written, then lets go of the files or the connection. */
  close(): Promise<void>
}

/** How long a hold outlives its last sign of life. */
export const LEASE_MS: Millis = 30_000

/** The store did not answer, or must not be used. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable'
}

export interface Admission {
  readonly requestId: string
  /** By hash; absent for a sign-in, which needs no key. */
  readonly keyHash?: string
  readonly account: string
  /** The terms of the account that the claims were made for. */
  readonly terms: Terms
  readonly claims: Claims
  /** A limit of one UTC day that all guests share, taken beside the account's own; given back as the hold is. */
  readonly shared?: { readonly limit: NanoUsd }
}

export type Admitted =
  | { readonly outcome: 'admitted'; readonly hold: Hold; readonly readings: Readings }
  /** The readings are those of `judged`. */
  | {
      readonly outcome: 'refused'
      readonly denial: Refuse['denial']
      readonly readings: Readings
      readonly judged: Judged
      /** The last second that counts in the minute of the account; 0 where none does. */
      readonly newest: number
    }
  /** The key stopped working since it was looked up, or the account is gone. */
  | { readonly outcome: 'key-gone' }
  /** Terms or window changed in between: decide again with these. */
  | { readonly outcome: 'stale'; readonly terms: Terms; readonly at: EpochMs }
  /** What all guests may spend in a day is held or spent; there is more at midnight UTC. */
  | { readonly outcome: 'guests-spent'; readonly retryAfterMs: Millis; readonly judged: Judged }

export interface Extension {
  readonly hold: Hold
  /** One more than that of the hold. */
  readonly round: number
  /** What the rounds so far weighed: the checkpoint from here on. */
  readonly soFar: Settlement
  /** Of the new round. Requests, day and concurrency are not asked again. */
  readonly claims: Claims
}

export type Extended =
  | { readonly outcome: 'extended'; readonly hold: Hold }
  /** Nothing changed: the request may still be settled at what it spent. */
  | { readonly outcome: 'refused'; readonly denial: Refuse['denial']; readonly readings: Readings }
  /** The hold ended, because its lease ran out. */
  | { readonly outcome: 'ended' }

/** A sign of life of a request under way. */
export interface Beat {
  readonly hold: Hold
  /** What it would be settled at now: its checkpoint. Absent before it was dispatched. */
  readonly soFar?: Settlement
}

export interface Settlement {
  readonly hold: Hold
  /** What it weighs in the minute, which for images is not all that their model counts. */
  readonly tokens: number
  readonly bill: Bill
}

export const chargeOf = ({ tokens, bill }: Settlement): Charge => ({ tokens, cost: bill.cost })

/** What a request came to. Prompts and answers are never in it. */
export interface Bill {
  readonly requestId: string
  readonly account: string
  readonly plan: string
  /** The name the client asked for: a model, an alias, or empty. */
  readonly asked: string
  readonly model: string
  readonly pool: string
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cost: NanoUsd
  /** True when the backend did not report its usage. */
  readonly estimated: boolean
  readonly admittedAt: EpochMs
  /** Of the configuration the request was decided by. */
  readonly revision: string
  /** The route that chose the model. */
  readonly rule?: string
  /** Calls of hosted tools by name that were answered, whose price is in the cost; a row of kind `late` tells them again. */
  readonly tools?: Readonly<Record<string, number>>
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

/** One settled request, or one attempt that was wasted. */
export interface LedgerRow extends Bill {
  /**
   * `orphan`: charged at its last checkpoint. `late`: settled after that; tokens and cost are the difference.
   * `waste`: what a failed attempt cost the operator, and no client.
   */
  readonly kind: 'settle' | 'orphan' | 'late' | 'waste'
  readonly settledAt: EpochMs
  /** Of waste. */
  readonly cause?: string
}

/**
 * Hears of each row that this process wrote, once it is written. `requests` is 0 where the request had a row before.
 * Never throws.
 */
export type Wrote = (row: LedgerRow, requests: 0 | 1) => void

export interface LedgerQuery {
  readonly account?: string
  /** Admitted at or after. */
  readonly since?: EpochMs
}

export interface TotalsQuery {
  /** First UTC day, in days since the epoch. */
  readonly since?: number
}

/** What one account settled of one model on one plan in one UTC day, that of the admissions. */
export interface Total {
  /** Days since the epoch. */
  readonly day: number
  readonly account: string
  readonly plan: string
  readonly model: string
  readonly requests: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cost: NanoUsd
}

/** What failed attempts at one pool cost its operator in one UTC day, that of the admissions. */
export interface WasteTotal {
  /** Days since the epoch. */
  readonly day: number
  readonly pool: string
  readonly attempts: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cost: NanoUsd
}

export interface SpendReading {
  readonly used: NanoUsd
  readonly held: NanoUsd
  readonly window: { readonly start: EpochMs; readonly end: EpochMs }
}

/** What an account has used of its limits. */
export interface AccountStanding extends SpendReading {
  readonly record: AccountRecord
  /** Of the minute. */
  readonly requests: number
  readonly tokens: number
  /** Requests under way. */
  readonly open: number
  /** By the clock of the store. */
  readonly at: EpochMs
}
