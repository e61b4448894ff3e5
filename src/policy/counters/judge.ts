import type { EpochMs } from '../config.ts'
import { type Claims, type Granted, keyOfWindow, type Mutable, type Verdict } from '../decision.ts'
import type { QuotaDenial, RateDenial, RuleDenial } from '../denial.ts'
import { type CountRule, type NamedRule, quotaOf } from '../limits/named-rules.ts'
import type { Readings } from '../limits/readings.ts'
import { GROWS, type LimitRule } from '../limits/rule.ts'
import type { Weight } from '../limits/rule-claim.ts'
import { NOTHING_READ, type RuleReading, waitForCells } from '../limits/rule-counter.ts'
import { type NanoUsd, nanoUsd } from '../nano-usd.ts'
import { costOf, outputWithin } from '../price.ts'
import {
  type AccountCounters,
  type Charge,
  type Hold,
  liveMinute,
  readingsIn,
  release,
  usedOf,
} from './account-counters.ts'
import { type LiveRecord, readNamed } from './named-reading.ts'
import { heldBy, refusedBy } from './refusal.ts'
import { claimsInTurn, rulesOfRound } from './session-turn.ts'
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
  const readings = readingsIn(counters, live, keyOfWindow(claims.spend.window))
  return judgeReadings({ readings, second: live.second, buckets: live.buckets, rules }, claims, now)
}

/** Readings of an account and its rules at a moment. */
export interface Live extends LiveRecord {
  /** The reading of each rule among the claims, in their order; absent where no rule has counted anything. */
  readonly rules?: readonly RuleReading[] | undefined
}

/** Readings, with the most that each rule allows to this request where that is not what it says. */
interface LiveInTurn extends Live {
  readonly mosts?: readonly number[]
}

/** Judges claims by readings of the counters. */
export function judgeReadings(read: Live, asked: Claims, now: EpochMs): Verdict {
  const { readings, rules } = read
  const { claims, mosts } = claimsInTurn(asked, rules)
  const live = mosts ? { ...read, mosts } : read
  const least = leastWeight(claims)
  const denial = quotaDenial(claims, readings, nanoUsd(least.cost)) ?? limitDenial(claims, live, least, now)
  const verdict = denial ? { denial, readings } : { granted: grantedBy(claims, live), readings }
  return rules ? { rules, ...verdict } : verdict
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

/** The claims of an extension: its tokens and their cost, and neither a request nor a place among those that run. */
export function extensionOf(claims: Claims): Claims {
  const { limits, rules } = claims
  const extension: Mutable<Claims> = { ...claims, limits: limits.filter(({ measure }) => GROWS[measure]) }
  if (rules) extension.rules = rulesOfRound(claims)?.filter(({ rule }) => GROWS[rule.measure]) ?? []
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
    ...(spend.window.per && { per: spend.window.per }),
    overageEnabled: spend.overageEnabled,
    worst,
    left,
    fits: Math.max(0, fits),
  }
}

/**
 * A retry is admitted only once every limit has room: of the limits that time frees, the one with the longest wait refuses. Limits
 * that other requests free have no certain wait, so they refuse only if no other limit does.
 */
function limitDenial(
  claims: Claims,
  live: LiveInTurn,
  least: Weight,
  now: EpochMs,
): RateDenial | RuleDenial | undefined {
  let denial: RateDenial | RuleDenial | undefined
  let held: RateDenial | RuleDenial | undefined
  eachLimit(claims, live, (rule, used, reserved, most, place) => {
    const over = used + reserved + amountOf(rule.measure, least) - most
    if (over <= 0) return
    if (isFreedByRequests(rule, reserved, over)) {
      held ??= heldBy(rule)
      return
    }
    const wait = waitForCells(cellsFor(over, rule, live, place), rule.per, over, now)
    if (wait > (denial?.retryAfterMs ?? 0)) denial = refusedBy(rule, wait)
  })
  return denial ?? held
}

/**
 * Visits each limit among claims with what is used of it: the counted rules of the account's record, then the rules with a
 * counter of their own, which alone have a `place`, and last the quota.
 */
function eachLimit(
  { limits, rules, spend }: Claims,
  { readings, rules: read, mosts }: LiveInTurn,
  visit: (rule: LimitRule | NamedRule, used: number, held: number, most: number, place?: number) => void,
): void {
  for (const rule of limits) visit(rule, usedOf(readings, rule.name), 0, rule.most)
  rules?.forEach(({ rule }, place) => {
    const { used, held } = read?.[place] ?? NOTHING_READ
    visit(rule, used, held, mosts?.[place] ?? rule.most, place)
  })
  if (spend.limit !== undefined)
    visit(quotaOf(spend.limit, spend.window.per), readings.used, readings.held, spend.limit)
}

/**
 * Running requests make room where they hold enough of it, and time does for the rest. A window of a minute or less passes
 * sooner than many a request ends. A spent quota was denied before, with a code of its own.
 */
const isFreedByRequests = ({ per }: Pick<LimitRule, 'per'>, held: number, over: number): boolean =>
  per === undefined || (over <= held && per !== 'second' && per !== 'minute')

/** The reading of a rule, with the cells that a wait needs. */
const cellsFor = (over: number, rule: LimitRule | NamedRule, live: Live, place: number | undefined): RuleReading =>
  place === undefined ? readNamed(rule as CountRule, live, over) : (live.rules?.[place] ?? NOTHING_READ)

function grantedBy(claims: Claims, live: LiveInTurn): Granted {
  const { input, spend, output } = claims
  let byTokens = Number.MAX_SAFE_INTEGER
  let bySpend = Number.MAX_SAFE_INTEGER
  eachLimit(claims, live, ({ measure }, used, held, most) => {
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

const leastOutput = ({ output }: Claims): number => output.min * output.choices
const leastTokens = (claims: Claims): number => claims.input + leastOutput(claims)
const least = (claims: Claims): NanoUsd =>
  costOf(claims.spend.price, claims.input, leastOutput(claims), claims.spend.items)

/** The least weight of a request. */
export const leastWeight = (claims: Claims): Weight =>
  weightOf(claims, { tokens: leastTokens(claims), cost: least(claims) })
