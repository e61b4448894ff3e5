import { type Plan, placeOf } from './config.ts'
import { type InvalidAt, invalidAt } from './decision.ts'
import { isNamed, type NamedRule } from './limits/named-rules.ts'
import type { LimitRule } from './limits/rule.ts'
import { writtenRule } from './limits/rule-claim.ts'
import { allowedText, amountText } from './limits/text.ts'

/** Refuses a request that no window of the rule can hold. A 429 would be retried for ever. */
export function tooLarge(
  plan: Plan,
  rule: LimitRule | NamedRule,
  needed: number,
  { stage, field }: Pick<InvalidAt, 'stage'> & { readonly field: string },
): InvalidAt {
  const [whose, at] = isNamed(rule)
    ? [`plan ${plan.name}`, placeOf(plan, rule.name)]
    : ['a limit', plan.rules.find(each => each.rule === writtenRule(rule))?.at]
  const text = `needs up to ${amountText(rule, needed)}, but ${whose} allows ${allowedText(rule)}`
  return invalidAt(stage, field, text, at)
}
