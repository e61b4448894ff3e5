import type { EpochMs, NanoUsd } from '../policy/config.ts'
import type { Claims, Readings, Refuse } from '../policy/decision.ts'
import type { Caller } from '../policy/facts.ts'
import type { Charge, Hold } from '../policy/standing.ts'

/**
 * Where keys, accounts, standings and the ledger live. Every implementation passes test/store/contract.ts.
 * Each call is atomic and owns the clock; a call that resolves is durable where its sentence says so.
 * Rejects with StoreUnavailable when the store cannot be reached.
 */
export interface Store {
  /** The caller behind an active key. Never cached, so that a revoked key is refused by the next request. */
  findCaller(keyHash: string): Promise<Caller | undefined>
  /** Judges the claims and takes what they are granted, in one step. Repeating a request id changes nothing. */
  admit(admission: Admission): Promise<Admitted>
  /** Ends a hold at what the request weighed and writes its ledger row, once per request id. Durable. */
  settle(settlement: Settlement): Promise<void>
  /** Ends a hold that bought nothing. Requests of the minute and the day are not given back. */
  refund(hold: Hold): Promise<void>
  /** What was used in the window at this moment. */
  readSpend(account: string): Promise<SpendReading>

  /** Makes the key its account's active one, creating the account if the label is new. Durable. */
  mintKey(mint: Mint): Promise<Minted>
  /** Ends a key; undefined when no active key has this hash. Durable: the next request with it is refused. */
  revokeKey(keyHash: string): Promise<KeyRecord | undefined>
  /** Every key, newest first. */
  listKeys(): Promise<readonly KeyRecord[]>

  /** Settled requests of one account, or of all, oldest first. */
  readLedger(account?: string): AsyncIterable<LedgerRow>
  /** Waits for what is being written, then lets go of the files or the connection. */
  close(): Promise<void>
}

/** The store did not answer, or must not be used. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable'
}

export interface Admission {
  readonly requestId: string
  readonly keyHash: string
  readonly account: string
  /** The plan the claims were made for. */
  readonly plan: string
  readonly claims: Claims
}

export type Admitted =
  | { readonly outcome: 'admitted'; readonly hold: Hold; readonly readings: Readings }
  | { readonly outcome: 'refused'; readonly denial: Refuse['denial']; readonly readings: Readings }
  /** The key stopped working since it was looked up. */
  | { readonly outcome: 'key-gone' }
  /** Plan or window changed in between: decide again with these. */
  | { readonly outcome: 'stale'; readonly plan: string; readonly at: EpochMs }

export interface Settlement {
  readonly hold: Hold
  readonly charge: Charge
  readonly row: LedgerRow
}

/** One settled request. Prompts and answers are never in it. */
export interface LedgerRow {
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
  readonly kind: 'settle'
  /** True when the backend did not report its usage. */
  readonly estimated: boolean
  readonly admittedAt: EpochMs
  readonly settledAt: EpochMs
  /** Of the configuration the request was decided by. */
  readonly revision: string
}

export interface SpendReading {
  readonly plan: string
  readonly used: NanoUsd
  readonly held: NanoUsd
  readonly window: { readonly start: EpochMs; readonly end: EpochMs }
}

export interface Mint {
  readonly keyHash: string
  /** Masked, for listings. */
  readonly keyPrefix: string
  /** How operators call the account. */
  readonly label: string
  readonly plan: string
  /** Used when the label is new. */
  readonly newAccount: string
}

export type Minted =
  | { readonly outcome: 'minted'; readonly key: KeyRecord }
  /** The account has an active key already; nothing was written. */
  | { readonly outcome: 'exists'; readonly key: KeyRecord }

/** A key as it may be shown: the value itself is nowhere. */
export interface KeyRecord {
  readonly hash: string
  readonly keyPrefix: string
  readonly account: string
  readonly label: string
  /** The account's plan as it is now. */
  readonly plan: string
  readonly status: 'active' | 'revoked'
  readonly createdAt: EpochMs
}
