import type { EpochMs, Millis } from './config.ts'
import { addNanoUsd, type NanoUsd, nanoUsd, ZERO_USD } from './nano-usd.ts'

/**
 * The cost that counts against a pool's hourly budget: one-minute buckets, oldest first, at most 61. Plain JSON,
 * replaced as a whole, never changed in place.
 */
export type PoolBudget = readonly MinuteBucket[]

export interface MinuteBucket {
  /** Minutes since the epoch. */
  readonly minute: number
  readonly cost: NanoUsd
}

export const UNSPENT: PoolBudget = []

const MINUTE_MS: Millis = 60_000
/** Minutes before the current one that count: with it they cover every span of 60 minutes. */
const MINUTES_BEFORE = 60

const minuteOf = (at: EpochMs): number => Math.floor(at / MINUTE_MS)

/** The cost that counts against the hour at `at`. */
export const costIn = (budget: PoolBudget, at: EpochMs): NanoUsd => sumOf(liveHour(budget, at).buckets)

/** Takes `amount`, counted at the moment that is returned; undefined when more than `limit` would count. */
export function take(
  budget: PoolBudget,
  { amount, limit }: { readonly amount: NanoUsd; readonly limit: NanoUsd },
  at: EpochMs,
): { readonly budget: PoolBudget; readonly at: EpochMs } | undefined {
  const { minute, buckets } = liveHour(budget, at)
  if (sumOf(buckets) + amount > limit) return undefined
  return { budget: added(buckets, minute, amount), at: Math.max(at, minute * MINUTE_MS) }
}

/** Adds `difference` to what was counted at a moment, which never weighs less than nothing; ignored once that is over. */
export function amend(
  budget: PoolBudget,
  { counted, difference }: { readonly counted: EpochMs; readonly difference: NanoUsd },
  at: EpochMs,
): PoolBudget {
  const { buckets } = liveHour(budget, at)
  return buckets.map(bucket =>
    bucket.minute === minuteOf(counted) ? { ...bucket, cost: nanoUsd(Math.max(0, bucket.cost + difference)) } : bucket,
  )
}

/**
 * The current minute and the buckets that count in it. When the clock stepped back, the newest bucket stays the current
 * one; when by more than an hour, what lies ahead counts as of now and leaves an hour later, instead of freezing the pool.
 */
function liveHour(budget: PoolBudget, at: EpochMs): { minute: number; buckets: PoolBudget } {
  const newest = budget.at(-1)?.minute ?? 0
  const clock = minuteOf(at)
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
