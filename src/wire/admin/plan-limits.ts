import type { Overage, Plan } from '../../policy/config.ts'
import { COUNT_RULES, type CountName, mostOf } from '../../policy/limits/named-rules.ts'
import { usdText } from '../money.ts'
import { type ShownOverage, shownOverage } from './account.ts'

/** Null where the plan has no such limit. */
export type OwnLimits = { readonly [Name in CountName]: number | null } & {
  readonly monthly_usd: string
  readonly overage: ShownOverage
}

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
