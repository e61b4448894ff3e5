import type { EpochMs, Millis } from '../config.ts'
import type { Claims, Granted, Mutable, SpendClaim, Verdict } from '../decision.ts'
import type { QuotaDenial, RateDenial, RuleDenial } from '../denial.ts'
import { GROWS, type LimitRule, type LimitWindow, RULE_TYPES } from '../limits/limit-rule.ts'
import { endOfWindow, type Limit, limitOfType } from '../limits/limits.ts'
import { type Readings, readingOf } from '../limits/readings.ts'
import type { RuleClaim, Weight } from '../limits/rule-claim.ts'
import { NOTHING_READ, type RuleReading, waitForCells } from '../limits/rule-counter.ts'
import { type NanoUsd, nanoUsd } from '../nano-usd.ts'
import { costOf, outputWithin } from '../price.ts'
import {
  type AccountCounters,
  type Bucket,
  type Charge,
  type Hold,
  liveMinute,
  minuteEnd,
  readingsIn,
  release,
} from './account-counters.ts'
import { amountOf, weightOf } from './weight.ts'

/**
 * Whether claims fit an account's counters: all of them, or none. Changes nothing; `take` does.
 * `now` must lie in the window of the spend claim. The output is granted between min and want,
 * as much as tokens and spend leave.
 */
export function judge(
  counters: AccountCounters,
  claims: Claims,
  now: EpochMs,
  rules?: readonly RuleReading[],
): Verdict {
  const live = liveMinute(counters, now)
  const readings = readingsIn(counters, live, claims.spend.window.start)
  return judgeReadings({ readings, second: live.second, buckets: live.buckets, rules }, claims, now)
}

/** What counts at a moment: `second` is the current one, `buckets` are those of its minute, oldest first. */
export interface Live {
  readonly readings: Readings
  readonly second: number
  readonly buckets: readonly Bucket[]
  /** Of each rule among the claims, in their order; absent where nothing is counted of any. */
  readonly rules?: readonly RuleReading[] | undefined
}

/** The same of what counters come to. */
export function judgeReadings(live: Live, claims: Claims, now: EpochMs): Verdict {
  const { readings, rules } = live
  const worst = least(claims)
  const denial =
    quotaDenial(claims, readings, worst) ?? limitDenial(claims, live, now) ?? holdDenial(claims, readings, worst)
  const verdict = denial ? { denial, readings } : { granted: grantedBy(claims, live), readings }
  return rules ? { ...verdict, rules } : verdict
}

/**
 * Whether another round of a running request fits: more tokens and spend, in the window it was admitted in, once
 * what it `spent` so far is put right, in `rules` as well. It is no further request, and no other may take its place meanwhile.
 */
export function judgeExtension(
  counters: AccountCounters,
  hold: Hold,
  spent: Charge,
  claims: Claims,
  now: EpochMs,
  rules?: readonly RuleReading[],
): Verdict {
  return judge(release(counters, hold, spent, now), extensionOf(claims), now, rules)
}

/** What an extension asks of claims: its tokens and their cost, and neither a request nor a place among those that run. */
export function extensionOf(claims: Claims): Claims {
  const { limits, rules } = claims
  const extension: Mutable<Claims> = { ...claims, limits: limits.filter(({ limit }) => limit.measure === 'tokens') }
  if (rules) extension.rules = rules.filter(({ rule }) => GROWS[rule.measure])
  return extension
}

/** Spent: it would not fit even if every hold were refunded. */
function quotaDenial(claims: Claims, { used }: Readings, worst: NanoUsd): QuotaDenial | undefined {
  const { spend, output } = claims
  if (spend.limit === undefined || used + worst <= spend.limit) return undefined
  const left = nanoUsd(Math.max(0, spend.limit - used))
  const fits = Math.floor(outputWithin(spend.price, claims.input, spend.items, left) / output.choices)
  return {
    code: 'quota_exceeded',
    resetAt: spend.window.end,
    overageEnabled: spend.overageEnabled,
    worst,
    left,
    fits: Math.max(0, fits),
  }
}

/**
 * A retry is admitted only once every limit has room: of the limits that time frees, the one with the longest wait
 * refuses. What other requests free has no certain wait, and refuses where nothing else does.
 */
function limitDenial(claims: Claims, live: Live, now: EpochMs): RateDenial | RuleDenial | undefined {
  let denial: RateDenial | RuleDenial | undefined
  let other: RateDenial | RuleDenial | undefined
  const consider = (found: RateDenial | RuleDenial, isFreedByTime: boolean) => {
    if (!isFreedByTime) other ??= found
    else if (found.retryAfterMs > (denial?.retryAfterMs ?? 0)) denial = found
  }
  for (const { limit, most } of claims.limits) {
    const taken = limit.measure === 'tokens' ? leastTokens(claims) : 1
    const over = readingOf(live.readings, limit.reading) + taken - most
    if (over <= 0) continue
    const retryAfterMs = limit.waitMs ?? waitFor(limit, over, live, now)
    consider({ code: 'rate_limit_exceeded', type: limit.type, limit: most, retryAfterMs }, limit.waitMs === null)
  }
  if (claims.rules) {
    const weight = leastWeight(claims)
    for (const [place, claim] of claims.rules.entries()) {
      const found = ruleDenial(claim, live.rules?.[place], weight, now)
      if (found) consider(found, !found.isHeld)
    }
  }
  return denial ?? other
}

/** What a rule refuses. Where running requests hold enough, it is they that make room, and not time. */
function ruleDenial(
  { rule }: RuleClaim,
  reading: RuleReading | undefined,
  weight: Weight,
  now: EpochMs,
): RuleDenial | undefined {
  const { measure, per, most } = rule
  const { used, held } = reading ?? NOTHING_READ
  const over = used + held + amountOf(measure, weight) - most
  if (over <= 0) return undefined
  if (per === undefined || (over <= held && !isShort(per))) return heldBy(rule)
  return refusedBy(rule, waitForCells(reading ?? NOTHING_READ, per, over, now))
}

/** A rule refuses until time makes room. */
export const refusedBy = (rule: LimitRule, retryAfterMs: Millis): RuleDenial => ({
  code: 'rate_limit_exceeded',
  type: RULE_TYPES[rule.measure],
  limit: rule.most,
  rule,
  retryAfterMs,
})

/** A rule refuses until other requests make room. */
export const heldBy = (rule: LimitRule): RuleDenial => ({
  ...refusedBy(rule, (rule.per === undefined ? RUNNING : QUOTA_HOLD).waitMs ?? 0),
  isHeld: true,
})

/** The wait for a window of a minute is no longer than a request may run. */
const isShort = (per: LimitWindow): boolean => per === 'second' || per === 'minute'

/**
 * Until the window ends, or until enough of the oldest buckets have left the minute for `over` units to be free. The
 * current second is one that a clock which stepped back does not move.
 */
function waitFor({ window, measure }: Limit, over: number, { second, buckets }: Live, now: EpochMs): Millis {
  const end = endOfWindow(window, second)
  if (end !== undefined) return end - now
  let missing = over
  for (const bucket of buckets) {
    missing -= measure === 'tokens' ? bucket.tokens : bucket.requests
    if (missing <= 0) return Math.max(1, minuteEnd(bucket.second) - now)
  }
  return 60_000
}

/** It would fit if the running requests cost nothing: worth a retry, so not a 402. */
function holdDenial(claims: Claims, { used, held }: Readings, worst: NanoUsd): RateDenial | undefined {
  const { limit } = claims.spend
  if (limit === undefined || used + held + worst <= limit) return undefined
  const { type, waitMs } = QUOTA_HOLD
  return { code: 'rate_limit_exceeded', type, limit, retryAfterMs: waitMs ?? 0 }
}

/** Rules have the waits of the limits that other requests free as well. */
const [RUNNING, QUOTA_HOLD] = [limitOfType('concurrency'), limitOfType('quota_hold')]

function grantedBy(claims: Claims, { readings, rules }: Live): Granted {
  const { input, spend, output } = claims
  let byTokens = Number.MAX_SAFE_INTEGER
  for (const { limit, most } of claims.limits)
    if (limit.measure === 'tokens') byTokens = Math.min(byTokens, most - readingOf(readings, limit.reading) - input)
  let bySpend = affordable(spend, input, readings)
  claims.rules?.forEach(({ rule: { measure, most } }, place) => {
    const { used, held } = rules?.[place] ?? NOTHING_READ
    const left = most - used - held
    if (measure === 'tokens') byTokens = Math.min(byTokens, left - input)
    else if (measure === 'output_tokens') byTokens = Math.min(byTokens, left)
    else if (measure === 'usd')
      bySpend = Math.min(bySpend, outputWithin(spend.price, input, spend.items, nanoUsd(left)))
  })
  const granted = Math.min(output.want, Math.floor(Math.min(byTokens, bySpend) / output.choices))
  const outputTokens = granted * output.choices
  return {
    output: granted,
    tokens: input + outputTokens,
    cost: costOf(spend.price, input, outputTokens, spend.items),
  }
}

const affordable = (spend: SpendClaim, input: number, { used, held }: Readings): number =>
  spend.limit === undefined
    ? Number.MAX_SAFE_INTEGER
    : outputWithin(spend.price, input, spend.items, nanoUsd(spend.limit - used - held))

const leastOutput = ({ output }: Claims): number => output.min * output.choices
const leastTokens = (claims: Claims): number => claims.input + leastOutput(claims)
const least = (claims: Claims): NanoUsd =>
  costOf(claims.spend.price, claims.input, leastOutput(claims), claims.spend.items)

/** What a request weighs at the least. */
export const leastWeight = (claims: Claims): Weight =>
  weightOf(claims, { tokens: leastTokens(claims), cost: least(claims) })

/** Whether time alone makes room: a request that is refused is admitted after its wait, if no other takes the room. */
export const isFreedByTime = (denial: RateDenial | RuleDenial): boolean =>
  'rule' in denial ? !denial.isHeld : limitOfType(denial.type).waitMs === null
