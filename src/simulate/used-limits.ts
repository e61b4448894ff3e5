import { lintRow } from '../config/lint/limits.ts'
import { suggestion } from '../config/model/suggest.ts'
import type { Path } from '../config/model/tree.ts'
import { limitRuleOf } from '../config/resolve/limits.ts'
import type { Config } from '../policy/config.ts'
import { nameOfRule } from '../policy/limits/named-rules.ts'
import { countedBy, ruleName } from '../policy/limits/rule.ts'
import type { Usage } from './file.ts'

export type Refuse = (path: Path, rule: string, message: string, hint: string) => void

/** Reports usage of a limit that no plan has, because it would have no effect. */
export function checkUsed({ limits = [] }: Usage = {}, path: Path, { plans }: Config, refuse: Refuse): void {
  const rules = [...plans.values()].flatMap(plan => plan.rules.map(({ rule }) => rule))
  const known = new Map(rules.map(rule => [countedBy(rule), ruleName(rule)]))
  for (const [index, row] of limits.entries()) {
    const at = [...path, 'limits', index]
    lintRow(row, at, (where, _severity, id, message, hint) => refuse(where, id, message, hint))
    const rule = limitRuleOf(row)
    if (!rule || known.has(countedBy(rule))) continue
    const name = ruleName(rule)
    const named = nameOfRule(rule)
    const hint = named ? `that is \`${named}\`, which has its own field` : suggestion(name, [...known.values()])
    refuse(at, 'unknown-limit', `no plan limits ${name} in its \`limits\``, hint)
  }
}
