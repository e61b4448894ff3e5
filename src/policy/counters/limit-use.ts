import type { EpochMs } from '../config.ts'
import type { Claims } from '../decision.ts'
import type { Denial } from '../denial.ts'
import type { LimitRule } from '../limits/limit-rule.ts'
import { endOfWindow, LIMITS, type Limit, limitOfType } from '../limits/limits.ts'
import { type Readings, readingOf } from '../limits/readings.ts'
import { keyOfField, type RuleClaim } from '../limits/rule-claim.ts'
import { cellEnd, NOTHING_READ, type RuleReading, slides } from '../limits/rule-counter.ts'
import { minuteEnd } from './account-counters.ts'

/** A limit, whether a plan writes it in its short form or as a rule, and what of it is used at a moment. */
export interface LimitUse {
  readonly rule: LimitRule
  /** The id of the key whose limit it is. */
  readonly key?: string
  /** Absent where each end user has a count of their own, and none is meant. */
  readonly count?: LimitCount
}

export interface LimitCount {
  /** Settled; of requests that run, how many there are. */
  readonly used: number
  /** Reserved by running requests. */
  readonly held: number
  /** When nothing of it counts any more; absent where nothing does, and of requests that run. */
  readonly resetAt?: EpochMs
}

/** What may refuse a request of a plan, and what of it is used: the short forms in the order of their table, then rules. */
export function usesOfClaims(
  { limits, spend, rules = [] }: Pick<Claims, 'limits' | 'spend' | 'rules'>,
  { at, readings, newest, rules: read = [] }: ReadLimits,
): readonly LimitUse[] {
  const uses: LimitUse[] = limits.map(({ limit, most }) => ({
    rule: ruleOf(limit, most),
    count: countOf(limit, readingOf(readings, limit.reading), { at, newest }),
  }))
  if (spend.limit !== undefined) {
    const { used, held } = readings
    uses.push({ rule: ruleOf(QUOTA, spend.limit), count: { used, held, resetAt: spend.window.end } })
  }
  return [...uses, ...rules.map((claim, place) => useOf(claim, read[place] ?? NOTHING_READ))]
}

/** What was read of an account at a moment. */
interface ReadLimits {
  readonly at: EpochMs
  readonly readings: Readings
  /** The last second that counts in the minute; 0 where none does. */
  readonly newest: number
  /** Of each rule among the claims, in their order. */
  readonly rules?: readonly RuleReading[] | undefined
}

const QUOTA = LIMITS.find(({ name }) => name === 'monthly_usd') as Limit

/** A limit of the table as the rule that it is. */
function ruleOf({ measure, window }: Limit, most: number): LimitRule {
  return window === 'none' ? { measure, most } : { measure, most, per: window }
}

function countOf({ window }: Limit, used: number, { at, newest }: Pick<ReadLimits, 'at' | 'newest'>): LimitCount {
  if (window === 'none') return { used, held: 0 }
  const ofMinute = used > 0 && newest > 0 ? minuteEnd(newest) : undefined
  const resetAt = window === 'minute' ? ofMinute : endOfWindow(window, Math.floor(at / 1000))
  return resetAt === undefined ? { used, held: 0 } : { used, held: 0, resetAt }
}

function useOf({ rule, field }: RuleClaim, reading: RuleReading): LimitUse {
  const key = keyOfField(field)
  const count = countOfRule(rule, reading)
  return key === undefined ? { rule, count } : { rule, key, count }
}

function countOfRule(rule: LimitRule, reading: RuleReading): LimitCount {
  const { used, held } = reading
  if (rule.per === undefined) return { used: used + held, held: 0 }
  const resetAt = resetOf(rule, reading)
  return resetAt === undefined ? { used, held } : { used, held, resetAt }
}

/** When nothing counts any more of what was read of a rule; undefined where nothing counts, and where it has no end. */
export function resetOf({ per }: Pick<LimitRule, 'per'>, { cells, index }: RuleReading): EpochMs | undefined {
  if (per === undefined) return undefined
  const newest = slides(per) ? cells.findLast(({ used, held }) => used + held > 0)?.index : index
  return newest === undefined ? undefined : cellEnd(per, newest)
}

/** How much more is admitted. */
export const leftOf = ({ most }: LimitRule, { used, held }: LimitCount): number => Math.max(0, most - used - held)

/** The limit that refused; undefined of what is no limit of a plan, a key or an operator. */
export function refusedBy(denial: Extract<Denial, { readonly code: 'rate_limit_exceeded' }>): LimitRule | undefined {
  if ('rule' in denial) return denial.rule
  if (denial.type === 'plan_limit' || 'shared' in denial || 'of' in denial) return undefined
  return ruleOf(limitOfType(denial.type), denial.limit)
}

/**
 * Whether clients may see what is used of a rule: not of one that strangers share, since it says what others use. A count
 * for other plans is no limit.
 */
export const isShown = ({ rule: { of, most } }: Pick<RuleClaim, 'rule'>): boolean =>
  of !== 'plan' && of !== 'everybody' && most < Number.MAX_SAFE_INTEGER
