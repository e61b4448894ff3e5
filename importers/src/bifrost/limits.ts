import { budgetOf, countOf, type Term, windowOf } from '../limits.ts'
import type { Left, Section } from '../section.ts'
import { LIMIT } from './reasons.ts'

/** The limits of a budget or a rate: a plan has a month and a minute, and other windows are limits beside them. */
export interface Limits {
  readonly terms: readonly Term[]
  readonly left: readonly Left[]
  /** Whether something of it cannot be written, so that a key would have more than before. */
  readonly isLost: boolean
}

/** Reads a budget or a rate, which may be that of several keys. */
export function limitsOf(section: Section): Limits {
  const budget = budgetOf(section.number('max_limit'), section.text('reset_duration'))
  if (budget && !budget.term) section.refuse('max_limit', budget.why ?? '')
  const counts = COUNTS.flatMap(([kind, measure, field]): readonly Term[] => {
    const most = countOf(section, `${kind}_max_limit`)
    const duration = section.text(`${kind}_reset_duration`) ?? '1h'
    if (most === undefined) return []
    const per = windowOf(duration)
    if (per !== undefined)
      return [{ most, limit: { [measure]: most, per }, field: per === 'minute' ? field : undefined }]
    section.refuse(`${kind}_max_limit`, `limits cannot have a window of ${duration}`)
    return []
  })
  for (const name of OF_WHOM) section.take(name)
  // A month begins by the clock here.
  if (budget?.term?.field === 'monthly_usd') section.take('calendar_aligned')
  const left = section.left(LIMIT)
  const isLost = left.some(({ path }) => LIMIT_FIELD.test(path))
  const changed =
    budget?.term && budget.why !== undefined ? [{ path: section.pathOf('max_limit'), why: budget.why }] : []
  return { terms: [...(budget?.term ? [budget.term] : []), ...counts], left: [...left, ...changed], isLost }
}

const COUNTS = [
  ['request', 'requests', 'rpm'],
  ['token', 'tokens', 'tpm'],
] as const
const LIMIT_FIELD = /(max_limit|reset_duration)$/
/** They say whose the limits are. */
const OF_WHOM = ['id', 'virtual_key_id', 'team_id', 'customer_id']
