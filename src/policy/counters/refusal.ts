import type { Denial, RateDenial, RuleDenial } from '../denial.ts'
import { isNamed, type NamedRule, nameOfRule, rowOf, ruleOfType } from '../limits/named-rules.ts'
import { isIdle, type LimitRule, RULE_TYPES, type RuleType } from '../limits/rule.ts'
import { calendarOf } from '../limits/zoned-window.ts'
import type { Millis } from '../time.ts'

/** A rule refuses until time makes room. That of a session has a type of its own: no wait helps while the session goes on. */
export function refusedBy(rule: LimitRule | NamedRule, retryAfterMs: Millis): RateDenial | RuleDenial {
  const { most: limit, per } = rule
  if (isNamed(rule)) {
    const { type, per: usual } = rowOf(rule.name)
    const denial = { code: 'rate_limit_exceeded', type, limit, retryAfterMs } as const
    return per === usual || per === undefined ? denial : { ...denial, per }
  }
  return { code: 'rate_limit_exceeded', type: typeOf(rule), limit, rule, retryAfterMs }
}

/** The limit of requests a day has one type, whatever the zone of the day. */
function typeOf(rule: LimitRule): RuleType | 'daily_limit' {
  const { measure, per } = rule
  if (isIdle(per)) return 'session_limit'
  const isZonedDay = per !== undefined && calendarOf(per)?.unit === 'day'
  return isZonedDay && nameOfRule(rule) === 'per_day' ? rowOf('per_day').type : RULE_TYPES[measure]
}

/** A rule refuses until other requests make room. The type of a named rule says so by itself. */
export function heldBy(rule: LimitRule | NamedRule): RateDenial | RuleDenial {
  const denial = refusedBy(rule, rule.per === undefined ? RUNNING_MS : RESERVED_MS)
  return 'rule' in denial ? { ...denial, type: RULE_TYPES[denial.rule.measure], isHeld: true } : denial
}

/** How long to wait for another request to end, or for what it reserved: when that is, is unknown. */
const RUNNING_MS: Millis = 1000
const RESERVED_MS: Millis = 2000

/** The rule that refused, as policy and texts know it. */
export function ruleOf(denial: RateDenial | RuleDenial): LimitRule | NamedRule {
  if ('rule' in denial) return denial.rule
  const { type, limit, per } = denial
  const rule = ruleOfType(type, limit)
  return per === undefined ? rule : { ...rule, per }
}

/** Whether running requests hold what is missing. A month that is spent is another denial, of a code of its own. */
export function isHeld(denial: RateDenial | RuleDenial): boolean {
  if ('rule' in denial) return denial.isHeld === true
  const { per, measure } = ruleOf(denial)
  return per === undefined || measure === 'usd'
}

/** Whether a 429 is that of a rule of a plan, a key or an operator, and not of the gateway itself. */
export const isOfRule = (
  denial: Extract<Denial, { readonly code: 'rate_limit_exceeded' }>,
): denial is RateDenial | RuleDenial => denial.type !== 'plan_limit' && !('shared' in denial) && !('of' in denial)
