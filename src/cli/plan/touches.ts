import type { Change } from '../../config/diff/rule.ts'
import type { Config } from '../../policy/config.ts'
import type { ShownPlanCount } from '../../wire/admin/revision.ts'
import type { RequestsTouched } from './touched-requests.ts'

/** Whom a change touches, as far as somebody could say. */
export interface Touches {
  /** Undefined where no gateway was asked. */
  readonly accounts: readonly AccountsTouched[] | undefined
  /** Undefined where there is no decision log to read. */
  readonly requests: RequestsTouched | undefined
}

/** A plan that changes or goes. */
export interface AccountsTouched {
  readonly plan: string
  /** How many accounts are on it. */
  readonly accounts: number
  readonly gone: boolean
}

/** No account is touched, since no change has a meaning. */
export const NOBODY: Touches = { accounts: [], requests: undefined }

interface Sides {
  readonly before: Config
  readonly after: Config
}

/** The accounts on plans that change or go, most first. */
export function accountsTouched(
  changes: readonly Change[],
  { before, after }: Sides,
  counts: readonly ShownPlanCount[],
): readonly AccountsTouched[] {
  const accounts = new Map(counts.map(each => [each.plan, each.accounts]))
  const subjects = new Set(changes.map(({ subject }) => subject))
  const plans = [...before.plans.keys()].filter(plan => subjects.has(`plan ${plan}`))
  return plans
    .map(plan => ({ plan, accounts: accounts.get(plan) ?? 0, gone: !after.plans.has(plan) }))
    .sort((a, b) => b.accounts - a.accounts)
}
