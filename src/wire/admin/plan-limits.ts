import type { Overage, Plan } from '../../policy/config.ts'
import { COUNT_RULES, type CountName, mostOf } from '../../policy/limits/named-rules.ts'
import { usdText } from '../money.ts'
import { orNull, type RecordOf, type Schema, text, whole } from '../schema/schema.ts'
import { OVERAGE, shownOverage } from './account.ts'

type CountFields = { readonly [Name in CountName]: Schema<number | null> }

const COUNT_FIELDS = Object.fromEntries(
  COUNT_RULES.map(({ name }) => [name, orNull(whole('Null if the plan has no such limit.'))]),
) as CountFields

/** The limits of a plan that have a name. */
export const PLAN_LIMITS = { ...COUNT_FIELDS, monthly_usd: text(), overage: OVERAGE }

/** Null if the plan has no such limit. */
export type OwnLimits = RecordOf<typeof PLAN_LIMITS>

/** The limits of a plan that have a name. */
export function planLimits(plan: Plan, overage: Overage = plan.overage): OwnLimits {
  const counts = COUNT_RULES.map(({ name }) => [name, finite(mostOf(plan.limits, name))])
  return {
    ...Object.fromEntries(counts),
    monthly_usd: usdText(plan.monthlyNanoUsd),
    overage: shownOverage(overage),
  }
}

const finite = (most: number): number | null => (Number.isFinite(most) ? most : null)
