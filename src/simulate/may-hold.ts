import type { Condition } from '../policy/config.ts'

/**
 * Whether a condition holds for a plan and an alias: undefined where that depends on the text, the time or anything else
 * of the request. Never certain where it is not, though it may be in doubt of what is certain.
 */
export function mayHold(condition: Condition, plan: string, alias: string): boolean | undefined {
  const each = (parts: readonly Condition[]) => parts.map(part => mayHold(part, plan, alias))
  switch (condition.is) {
    case 'all':
      return allOf(each(condition.of))
    case 'any':
      return not(allOf(each(condition.of).map(not)))
    case 'not':
      return not(mayHold(condition.of, plan, alias))
    case 'plan':
      return condition.names.includes(plan)
    case 'alias':
      return condition.names.includes(alias)
    default:
      return undefined
  }
}

const not = (held: boolean | undefined): boolean | undefined => (held === undefined ? undefined : !held)

function allOf(parts: readonly (boolean | undefined)[]): boolean | undefined {
  if (parts.includes(false)) return false
  return parts.includes(undefined) ? undefined : true
}
