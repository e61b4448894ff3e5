import type { EpochMs, Millis } from './config.ts'
import { addNanoUsd, type NanoUsd, nanoUsd, ZERO_USD } from './nano-usd.ts'

/**
 * The cost that counts against a budget of an hour or a day: buckets of a sixtieth of it, oldest first, at most 61. Plain JSON,
 * replaced as a whole, never changed in place.
 */
export type PoolBudget = readonly MinuteBucket[]

export interface MinuteBucket {
  /** Minutes since the epoch; in the budget of a day, spans of 24 minutes. */
  readonly minute: number
  readonly cost: NanoUsd
}

/** How long a cost counts: every span of so long holds at most the limit. */
export type BudgetSpan = 'hour' | 'day'

/** The length of a bucket. */
export const BUCKET_MS: Readonly<Record<BudgetSpan, Millis>> = { hour: 60_000, day: 24 * 60_000 }

export const UNSPENT: PoolBudget = []

/** Buckets before the current one that count: with it they cover every span of 60 of them. */
const MINUTES_BEFORE = 60

const minuteOf = (at: EpochMs, span: BudgetSpan): number => Math.floor(at / BUCKET_MS[span])

/** The cost that counts at `at`. */
export const costIn = (budget: PoolBudget, at: EpochMs, span: BudgetSpan = 'hour'): NanoUsd =>
  sumOf(liveBuckets(budget, at, span).buckets)

/** Takes `amount`, counted at the moment that is returned; undefined when more than `limit` would count. */
export function take(
  budget: PoolBudget,
  { amount, limit }: { readonly amount: NanoUsd; readonly limit: NanoUsd },
  at: EpochMs,
  span: BudgetSpan = 'hour',
): { readonly budget: PoolBudget; readonly at: EpochMs } | undefined {
  const { minute, buckets } = liveBuckets(budget, at, span)
  if (sumOf(buckets) + amount > limit) return undefined
  return { budget: added(buckets, minute, amount), at: Math.max(at, minute * BUCKET_MS[span]) }
}

/** Adds `difference` to what was counted at a moment, which never weighs less than nothing; ignored once that is over. */
export function amend(
  budget: PoolBudget,
  { counted, difference }: { readonly counted: EpochMs; readonly difference: NanoUsd },
  at: EpochMs,
  span: BudgetSpan = 'hour',
): PoolBudget {
  const { buckets } = liveBuckets(budget, at, span)
  return buckets.map(bucket =>
    bucket.minute === minuteOf(counted, span)
      ? { ...bucket, cost: nanoUsd(Math.max(0, bucket.cost + difference)) }
      : bucket,
  )
}

/**
 * The current bucket and those that count beside it. When the clock stepped back, the newest bucket stays the current
 * one; when by more than the span, what lies ahead counts as of now and leaves a span later, instead of freezing the pool.
 */
function liveBuckets(budget: PoolBudget, at: EpochMs, span: BudgetSpan): { minute: number; buckets: PoolBudget } {
  const newest = budget.at(-1)?.minute ?? 0
  const clock = minuteOf(at, span)
  const minute = newest - clock > MINUTES_BEFORE ? clock : Math.max(clock, newest)
  const live = budget.filter(bucket => bucket.minute >= minute - MINUTES_BEFORE)
  if (newest <= minute) return { minute, buckets: live }
  const gathered = (sum: PoolBudget, bucket: MinuteBucket) => added(sum, Math.min(bucket.minute, minute), bucket.cost)
  return { minute, buckets: live.reduce(gathered, UNSPENT) }
}

function added(buckets: PoolBudget, minute: number, cost: NanoUsd): PoolBudget {
  const last = buckets.at(-1)
  if (last?.minute !== minute) return [...buckets, { minute, cost }]
  return buckets.with(-1, { minute, cost: addNanoUsd(last.cost, cost) })
}

const sumOf = (buckets: PoolBudget): NanoUsd => buckets.reduce((sum, { cost }) => addNanoUsd(sum, cost), ZERO_USD)
