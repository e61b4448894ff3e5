import type { EpochMs } from '../config.ts'
import type { Claims } from '../decision.ts'
import { quotaOf } from '../limits/named-rules.ts'
import type { Readings } from '../limits/readings.ts'
import { type LimitRule, labelOf, scopeOf } from '../limits/rule.ts'
import { keyOfField, labelValueOf, type RuleClaim } from '../limits/rule-claim.ts'
import { cellEnd, NOTHING_READ, type RuleReading, slides } from '../limits/rule-counter.ts'
import { readNamed, readQuota } from './named-reading.ts'

/** A rule, and what of it is used at a moment. */
export interface LimitUse {
  readonly rule: LimitRule
  /** The id of the key that owns the limit. */
  readonly key?: string
  /** The value of the label that the count is of; empty for requests without one. Absent for limits of other scopes. */
  readonly value?: string
  /** Absent where each end user, session or value of a label has a count of its own, and none is meant. */
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

/** Limits that may refuse a request of a plan, and their usage: named rules in table order, then the others. */
export function usesOfClaims(
  { limits, spend, rules = [] }: Pick<Claims, 'limits' | 'spend' | 'rules'>,
  { at, readings, newest, rules: read = [] }: ReadLimits,
): readonly LimitUse[] {
  const { requests, tokens } = readings
  const buckets = newest > 0 ? [{ second: newest, requests, tokens }] : []
  const live = { readings, second: Math.floor(at / 1000), buckets }
  const uses: LimitUse[] = limits.map(rule => ({ rule, count: countOfRule(rule, readNamed(rule, live)) }))
  if (spend.limit !== undefined) {
    const rule = quotaOf(spend.limit, spend.window.per)
    uses.push({ rule, count: countOfRule(rule, readQuota(spend, readings)) })
  }
  return [...uses, ...rules.map((claim, place) => useOf(claim, read[place] ?? NOTHING_READ))]
}

/** The readings of an account at a moment. */
interface ReadLimits {
  readonly at: EpochMs
  readonly readings: Readings
  /** The last second that counts in the minute; 0 where none does. */
  readonly newest: number
  /** The reading of each rule among the claims, in their order. */
  readonly rules?: readonly RuleReading[] | undefined
}

function useOf({ rule, group, field }: RuleClaim, reading: RuleReading): LimitUse {
  const key = keyOfField(field)
  const value = labelOf(rule.of) === undefined ? undefined : labelValueOf(group)
  const count = countOfRule(rule, reading)
  return { rule, ...(key !== undefined && { key }), ...(value !== undefined && { value }), count }
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

/**
 * Whether clients may see what is used of a rule: not of one that strangers share, since it says what others use. A count
 * for other plans is no limit.
 */
export const isShown = ({ rule }: Pick<RuleClaim, 'rule'>): boolean =>
  scopeOf(rule).isShown && rule.most < Number.MAX_SAFE_INTEGER
