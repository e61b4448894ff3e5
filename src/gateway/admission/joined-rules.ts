import type { Config } from '../../policy/config.ts'
import { rulesOf } from '../../policy/decide.ts'
import type { JoinedCell } from '../../policy/limits/rule-claim.ts'
import { beginsWithLedger } from '../../policy/limits/rule-claim.ts'
import { cellAt } from '../../policy/limits/rule-counter.ts'
import { planOf } from '../../policy/plan.ts'
import type { AdmittedCall } from './admit.ts'

/**
 * The counters that a request is charged to although it was admitted before their limits were there: other files were taken
 * while it ran. Undefined where there are none.
 */
export function joinedRules(
  config: Config,
  { caller, request, decision, hold, revision }: AdmittedCall,
): readonly JoinedCell[] | undefined {
  if (config.revision === revision) return undefined
  const plan = planOf(config, caller)
  const model = config.models.get(decision.model.name)
  if (!plan || !model) return undefined
  const { claims, labels } = decision
  const isTaken = new Set((claims.rules ?? []).map(({ group, field }) => `${group} ${field}`))
  const joined = rulesOf(claims, config, plan, { caller, request, labels }, model).filter(
    ({ rule, group, field }) => rule.measure !== 'concurrent' && !isTaken.has(`${group} ${field}`),
  )
  if (joined.length === 0) return undefined
  return joined.map(claim => {
    const { group, field, rule } = claim
    return { group, field, cell: cellAt(rule.per, hold.at), begins: beginsWithLedger(claim) }
  })
}
