import type { Config } from '../../policy/config.ts'
import type { PlanInUse } from '../../policy/denial.ts'
import { namedPlan, planName } from '../../policy/plan.ts'
import type { AccountStore } from '../store/account-store.ts'

type Accounts = Pick<AccountStore, 'readAll' | 'changeTerms'>

/** A plan, and how many accounts are on it. */
export interface PlanCount extends PlanInUse {
  /** Whether the files declare it. */
  readonly declared: boolean
}

/** How many accounts are on each plan: all that are declared, then those that are not. Devices are on the plan of guests. */
export async function accountsByPlan(accounts: Accounts, config: Config): Promise<readonly PlanCount[]> {
  const counts = new Map([...config.plans.keys()].map(plan => [plan, 0]))
  for await (const account of accounts.readAll()) {
    const plan = planName(config, account)
    if (config.plans.has(plan) || account.terms.override !== undefined) counts.set(plan, (counts.get(plan) ?? 0) + 1)
  }
  return [...counts].map(([plan, accounts]) => ({ plan, accounts, declared: config.plans.has(plan) }))
}

/** Plans that one configuration has and the next one has not, while accounts are on them that do not move elsewhere. */
export async function plansInUse(
  accounts: Accounts,
  { before, after, moves }: { before: Config; after: Config; moves: ReadonlyMap<string, string> },
): Promise<readonly PlanInUse[]> {
  const gone = new Set([...before.plans.keys()].filter(plan => !after.plans.has(plan) && !moves.has(plan)))
  if (gone.size === 0) return []
  const counts = new Map<string, number>()
  for await (const account of accounts.readAll()) {
    const plan = namedPlan(account)
    if (plan !== undefined && gone.has(plan)) counts.set(plan, (counts.get(plan) ?? 0) + 1)
  }
  return [...counts].map(([plan, accounts]) => ({ plan, accounts }))
}

/** Puts the accounts of some plans on others, each once; `by` is for the audit. Returns how many moved, by the plan they left. */
export async function movePlans(
  accounts: Accounts,
  moves: ReadonlyMap<string, string>,
  by: string,
): Promise<ReadonlyMap<string, number>> {
  const moved = new Map<string, number>()
  if (moves.size === 0) return moved
  for await (const account of accounts.readAll()) {
    const from = namedPlan(account)
    const override = from === undefined ? undefined : moves.get(from)
    if (from === undefined || override === undefined) continue
    await accounts.changeTerms({ account: account.account, change: { override }, by })
    moved.set(from, (moved.get(from) ?? 0) + 1)
  }
  return moved
}
