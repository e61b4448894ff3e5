import type { EpochMs } from '../../config.ts'

/** The kinds of tokens that providers bill, in the order of reports. */
export const TOKEN_KINDS = ['input', 'cached', 'cache_write', 'cache_write_1h', 'output'] as const
export type TokenKind = (typeof TOKEN_KINDS)[number]

/** Thousandths of a nano-USD: the price of one token, where `Price` has nano-USD for 1,000 tokens. */
export type PicoUsd = bigint

/** Nano-USD of sums that may pass 2^53. */
export type NanoSum = bigint

/** The lines of a provider's bill for one day, model and kind, added up. */
export interface BillLine {
  /** `2026-10-31`, by the calendar of the bill. */
  readonly day: string
  /** The model by the name that pools send; a name of the bill where no pool runs it. Empty for charges without a model. */
  readonly model: string
  /** Absent for charges that are no tokens: taxes, credits, searches. */
  readonly kind?: TokenKind
  /** Absent where the bill has amounts alone. */
  readonly tokens?: number
  readonly amount: NanoSum
  /** Each line of the bill was rounded to a nano-USD. */
  readonly lines: number
  /** Whether other keys than those of the gateway used it, as the bill itself says. */
  readonly isElsewhere: boolean
}

/** Tokens of the ledger that began and ended in the same quarters of an hour. */
export interface LedgerUse {
  /** The beginning of the quarter of an hour in which the request was admitted. */
  readonly began: EpochMs
  /** The beginning of that in which it was settled. */
  readonly ended: EpochMs
  /** The model by the name that the pool sends. */
  readonly model: string
  readonly kind: TokenKind
  readonly tokens: number
  /** A failed attempt, which the ledger counts apart. */
  readonly isFailed: boolean
  /** The backend reported no usage. */
  readonly isEstimated: boolean
}

/** The operator pays this for one token of each kind, by the configuration. */
export type TokenPrices = Readonly<Record<TokenKind, PicoUsd>>

/** The reasons why a bill differs from the ledger, in the order of reports. */
export const CAUSES = [
  'price_drift',
  'cache_kinds',
  'late_usage',
  'failed_attempts',
  'past_the_gateway',
  'time_zone',
  'estimates',
  'no_tokens',
] as const
export type Cause = (typeof CAUSES)[number]

/** One day, model and kind of the bill beside the ledger. Causes and the unexplained rest add up to the difference. */
export interface ComparedCell {
  readonly day: string
  readonly model: string
  readonly kind: TokenKind | undefined
  readonly billedTokens: number
  readonly recordedTokens: number
  readonly billed: NanoSum
  /** Tokens of the UTC day at the configured prices. */
  readonly recorded: NanoSum
  /** Those that are not 0. */
  readonly causes: Partial<Record<Cause, NanoSum>>
  readonly unexplained: NanoSum
}

export interface ReconciledBill {
  /** The time zone by whose days the bill was cut; absent: UTC. */
  readonly zone?: string
  readonly billed: NanoSum
  readonly recorded: NanoSum
  readonly causes: Readonly<Record<Cause, NanoSum>>
  /** The amounts of each cause in all cells without their signs: usage that moves from one day to another has no sum. */
  readonly gross: Readonly<Record<Cause, NanoSum>>
  readonly unexplained: NanoSum
  /** The unexplained amounts of all cells without their signs: amounts of two days do not hide each other. */
  readonly unexplainedGross: NanoSum
  readonly cells: readonly ComparedCell[]
  /** Tokens priced for lines that have amounts alone, by model and kind: how each price was found. */
  readonly derived: readonly DerivedPrice[]
}

/** The price by which a bill without tokens was read. */
export interface DerivedPrice {
  readonly model: string
  readonly kind: TokenKind
  readonly price: PicoUsd
  /** The configured price, that of the catalogue, or the one by which most days agree with the ledger. */
  readonly by: 'configured' | 'listed' | 'days'
}
