import type { EpochMs, Millis } from '../../policy/config.ts'
import { type Hold, minuteEnd, usedOf } from '../../policy/counters/account-counters.ts'
import { isShown, resetOf } from '../../policy/counters/limit-use.ts'
import { amountOf } from '../../policy/counters/weight.ts'
import type { Allowed, Claims, Mutable } from '../../policy/decision.ts'
import type { CountRule } from '../../policy/limits/named-rules.ts'
import type { Readings } from '../../policy/limits/readings.ts'
import type { LimitRule, Measure } from '../../policy/limits/rule.ts'
import type { Weight } from '../../policy/limits/rule-claim.ts'
import { cellEnd, NOTHING_READ, type RuleReading, type RuleUse } from '../../policy/limits/rule-counter.ts'
import type { RateLimit, RateState } from '../../wire/quota-headers.ts'

/** An admitted request, with what the store read of its account at the admission. */
interface Counted {
  readonly decision: Pick<Allowed, 'claims'>
  readonly readings: Readings
  readonly rules?: readonly RuleUse[]
  readonly hold: Hold
}

/** The rest of the limits that an admitted request met: its reservation counts as used. */
export function rateAfter({ decision, readings, rules, hold }: Counted): RateState {
  const { round, spent, at, second } = hold
  // A later round counts in a later second, and only the moment of the admission is known.
  const minuteMs = minuteEnd(second) - (round === 0 ? at : second * 1000)
  const after = { ...readings, requests: readings.requests + 1, tokens: readings.tokens + spent.tokens + hold.tokens }
  const weight = hold.rules?.weight
  const ruled = (rule: LimitRule, { used, held, index }: RuleUse, of: Weight): Use => ({
    used: used + held + amountOf(rule.measure, of),
    resetMs: cellEnd(rule.per, index) - at,
  })
  return stateOf(decision.claims, {
    named: rule => ({ used: usedOf(after, rule.name), resetMs: minuteMs }),
    ...(rules && weight && { ruled: (rule, place) => ruled(rule, rules[place] ?? NOTHING_READ, weight) }),
  })
}

/** The rest of the limits that a refused request met; `newest` is the last second that counts in the minute, or 0. */
export function rateAt(claims: Claims, readings: Readings, { at, newest, rules }: Refused): RateState {
  const minuteMs = newest === 0 ? 0 : minuteEnd(newest) - at
  const ruled = (rule: LimitRule, reading: RuleReading): Use => ({
    used: reading.used + reading.held,
    resetMs: (resetOf(rule, reading) ?? at) - at,
  })
  return stateOf(claims, {
    named: rule => ({ used: usedOf(readings, rule.name), resetMs: minuteMs }),
    ...(rules && { ruled: (rule, place) => ruled(rule, rules[place] ?? NOTHING_READ) }),
  })
}

interface Refused {
  readonly at: EpochMs
  readonly newest: number
  readonly rules?: readonly RuleReading[] | undefined
}

interface Use {
  readonly used: number
  /** Until nothing of it counts any more. */
  readonly resetMs: Millis
}

/** Use of a rule whose counter is in the record of the account, and of one with a counter of its own, where those were read. */
interface Uses {
  readonly named: (rule: CountRule) => Use
  readonly ruled?: (rule: LimitRule, place: number) => Use
}

/** How much of the fullest limit is taken that a request met, with what it reserved: 1 where that is all. */
export function fullestShare({ decision, readings, rules, hold }: Counted): number {
  const { limits, spend, rules: claims = [] } = decision.claims
  let share = 0
  const add = (taken: number, most: number) => {
    if (taken > share * most) share = taken / most
  }
  for (const rule of limits) add(usedOf(readings, rule.name) + (rule.measure === 'tokens' ? hold.tokens : 1), rule.most)
  if (spend.limit !== undefined) add(readings.used + readings.held + hold.cost, spend.limit)
  const weight = hold.rules?.weight
  if (rules && weight)
    claims.forEach(({ rule }, place) => {
      const { used, held } = rules[place] ?? NOTHING_READ
      add(used + held + amountOf(rule.measure, weight), rule.most)
    })
  return share
}

/** Shows one of the limits that count the same: the one with the least left, or of two equal ones the one that renews later. */
function stateOf({ limits, rules = [] }: Claims, { named, ruled }: Uses): RateState {
  const state: Mutable<RateState> = {}
  const add = (rule: LimitRule, { used, resetMs }: Use) => {
    const name = NAMES[rule.measure]
    const found = left(rule.most, used, resetMs)
    if (name && isTighter(found, state[name])) state[name] = found
  }
  for (const rule of limits) if (rule.per === 'minute') add(rule, named(rule))
  if (ruled) for (const [place, claim] of rules.entries()) if (isShown(claim)) add(claim.rule, ruled(claim.rule, place))
  return state
}

const NAMES: Readonly<Partial<Record<Measure, keyof RateState>>> = {
  requests: 'requests',
  tokens: 'tokens',
  input_tokens: 'inputTokens',
  output_tokens: 'outputTokens',
}

const isTighter = (one: RateLimit, other: RateLimit | undefined): boolean =>
  !other || one.remaining < other.remaining || (one.remaining === other.remaining && one.resetMs > other.resetMs)

const left = (limit: number, used: number, resetMs: Millis): RateLimit => ({
  limit,
  remaining: Math.max(0, limit - used),
  resetMs,
})
