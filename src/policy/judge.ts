import {
  type AccountCounters,
  type Bucket,
  type Charge,
  dayOf,
  type Hold,
  liveMinute,
  readingsIn,
  release,
} from './account-counters.ts'
import type { EpochMs, Millis } from './config.ts'
import type { Claims, Granted, Refuse, SpendClaim, Verdict } from './decision.ts'
import type { RateDenial } from './denial.ts'
import { type NanoUsd, nanoUsd } from './nano-usd.ts'
import { costOf, outputWithin } from './price.ts'
import type { Readings } from './readings.ts'

/** How long to wait when only other requests under way stand in the way; nobody knows when they end. */
const OTHERS_END_MS: Millis = 2000
const CONCURRENCY_MS: Millis = 1000
const DAY_MS: Millis = 86_400_000
const UNLIMITED = { limit: Number.MAX_SAFE_INTEGER }

/**
 * Whether claims fit an account's counters: all of them, or none. Changes nothing; `take` does.
 * `now` must lie in the window of the spend claim. The output is granted between min and want,
 * as much as tokens and spend leave.
 */
export function judge(counters: AccountCounters, claims: Claims, now: EpochMs): Verdict {
  const live = liveMinute(counters, now)
  const readings = readingsIn(counters, live, claims.spend.window.start)
  return judgeReadings({ readings, second: live.second, buckets: live.buckets }, claims, now)
}

/** What there is of a counters at a moment: `second` is the current one, `buckets` are those of its minute, oldest first. */
export interface Live {
  readonly readings: Readings
  readonly second: number
  readonly buckets: readonly Bucket[]
}

/** The same of what a counters comes to. */
export function judgeReadings({ readings, second, buckets }: Live, claims: Claims, now: EpochMs): Verdict {
  const denial =
    quotaDenial(claims, readings) ??
    longest(
      minuteDenial('requests', claims.requests.limit, readings.requests + 1, buckets, now),
      minuteDenial('tokens', claims.tokens.limit, readings.tokens + leastTokens(claims), buckets, now),
      dayDenial(claims, readings, second, now),
    ) ??
    concurrencyDenial(claims, readings) ??
    holdDenial(claims, readings)
  if (denial) return { denial, readings }
  return { granted: grantedBy(claims, readings), readings }
}

/**
 * Whether another round of a request under way fits: more tokens and spend, in the window it was admitted in, once
 * what it `spent` so far is put right. It is no further request, and no other may take its place meanwhile.
 */
export function judgeExtension(
  counters: AccountCounters,
  hold: Hold,
  spent: Charge,
  claims: Claims,
  now: EpochMs,
): Verdict {
  return judge(release(counters, hold, spent, now), extensionOf(claims), now)
}

/** What an extension asks of claims: neither for a request, nor for its place in the day or under way. */
export const extensionOf = ({ tokens, spend, output }: Claims): Claims => ({
  requests: UNLIMITED,
  tokens,
  spend,
  output,
})

/** Spent: it would not fit even if every hold were refunded. */
function quotaDenial(claims: Claims, { used }: Readings): Refuse['denial'] | undefined {
  const { spend, output } = claims
  const worst = least(claims)
  if (spend.limit === undefined || used + worst <= spend.limit) return undefined
  const left = nanoUsd(Math.max(0, spend.limit - used))
  const fits = Math.floor(outputWithin(spend.price, claims.tokens.input, spend.items, left) / output.choices)
  return {
    code: 'quota_exceeded',
    resetAt: spend.window.end,
    overageEnabled: spend.overageEnabled,
    worst,
    left,
    fits: Math.max(0, fits),
  }
}

/** A retry is served only once every limit has room, so the longest wait is the one to tell. */
function longest(...denials: (RateDenial | undefined)[]): RateDenial | undefined {
  let denial: RateDenial | undefined
  for (const other of denials) if (other && other.retryAfterMs > (denial?.retryAfterMs ?? 0)) denial = other
  return denial
}

function minuteDenial(
  type: 'requests' | 'tokens',
  limit: number,
  wanted: number,
  buckets: readonly Bucket[],
  now: EpochMs,
): RateDenial | undefined {
  if (wanted <= limit) return undefined
  return { code: 'rate_limit_exceeded', type, limit, retryAfterMs: waitFor(buckets, type, wanted - limit, now) }
}

/** Until enough of the oldest buckets have left the minute for `over` units to be free. */
function waitFor(buckets: readonly Bucket[], unit: 'requests' | 'tokens', over: number, now: EpochMs): Millis {
  let missing = over
  for (const bucket of buckets) {
    missing -= bucket[unit]
    if (missing <= 0) return Math.max(1, (bucket.second + 61) * 1000 - now)
  }
  return 60_000
}

/** `second` is the current one, which a clock that stepped back does not move. */
function dayDenial({ day }: Claims, readings: Readings, second: number, now: EpochMs): RateDenial | undefined {
  if (!day || readings.day + 1 <= day.limit) return undefined
  const retryAfterMs = (dayOf(second) + 1) * DAY_MS - now
  return { code: 'rate_limit_exceeded', type: 'daily_limit', limit: day.limit, retryAfterMs }
}

function concurrencyDenial({ concurrency }: Claims, readings: Readings): RateDenial | undefined {
  if (!concurrency || readings.concurrent + 1 <= concurrency.limit) return undefined
  return {
    code: 'rate_limit_exceeded',
    type: 'concurrency',
    limit: concurrency.limit,
    retryAfterMs: CONCURRENCY_MS,
  }
}

/** It would fit if the requests under way cost nothing: worth a retry, so not a 402. */
function holdDenial(claims: Claims, { used, held }: Readings): RateDenial | undefined {
  const { limit } = claims.spend
  if (limit === undefined || used + held + least(claims) <= limit) return undefined
  return { code: 'rate_limit_exceeded', type: 'quota_hold', limit, retryAfterMs: OTHERS_END_MS }
}

function grantedBy(claims: Claims, readings: Readings): Granted {
  const { tokens, spend, output } = claims
  const byTokens = tokens.limit - readings.tokens - tokens.input
  const bySpend = affordable(spend, tokens.input, readings)
  const granted = Math.min(output.want, Math.floor(Math.min(byTokens, bySpend) / output.choices))
  const outputTokens = granted * output.choices
  return {
    output: granted,
    tokens: tokens.input + outputTokens,
    cost: costOf(spend.price, tokens.input, outputTokens, spend.items),
  }
}

const affordable = (spend: SpendClaim, input: number, { used, held }: Readings): number =>
  spend.limit === undefined
    ? Number.MAX_SAFE_INTEGER
    : outputWithin(spend.price, input, spend.items, nanoUsd(spend.limit - used - held))

const leastOutput = ({ output }: Claims): number => output.min * output.choices
const leastTokens = (claims: Claims): number => claims.tokens.input + leastOutput(claims)
const least = (claims: Claims): NanoUsd =>
  costOf(claims.spend.price, claims.tokens.input, leastOutput(claims), claims.spend.items)
