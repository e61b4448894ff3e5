import type { Plan } from './plans.ts'
import type { Section } from './section.ts'

/** The number of a limit. One of 0 is refused: no limit is 0, and to go without it would be to serve what the source refuses. */
export function countOf(section: Section, name: string): number | undefined {
  const count = section.number(name)
  return count === 0 ? section.refuse(name, NOTHING_SERVED) : count
}

/** Fields of a plan by terms of which several may be about one field: the first is the field, and the others are limits beside it. */
export function termsFrom(terms: readonly Term[]): Omit<Partial<Plan>, 'models'> {
  const fields: Record<string, number> = {}
  const limits: object[] = []
  for (const { field, most, limit } of terms) {
    if (field === undefined || fields[field] !== undefined) limits.push(limit)
    else fields[field] = most
  }
  return { ...fields, ...(limits.length > 0 && { limits }) }
}

/** A limit as it stands beside the fields of a plan, and the field that has the same meaning where there is one. */
export interface Term {
  readonly most: number
  readonly limit: object
  readonly field?: 'rpm' | 'tpm' | 'monthly_usd' | undefined
}

const NOTHING_SERVED = 'a limit cannot be 0, which would refuse every request'

/** A budget and its window. A plan has months; other windows are limits beside it. `why` alone: it cannot be written. */
export function budgetOf(usd: number | undefined, duration: string | undefined): Budget | undefined {
  if (usd === undefined) return undefined
  if (usd < 0.000001) return { why: 'a budget of zero: freeze the account instead' }
  const per = duration === undefined ? 'month' : windowOf(duration)
  if (per === undefined) return { why: `limits cannot have a window of ${duration}` }
  const term: Term = { most: usd, limit: { usd, per }, field: per === 'month' ? 'monthly_usd' : undefined }
  return { term, why: duration === undefined ? 'it had no window; here it resets each month' : undefined }
}

interface Budget {
  readonly term?: Term
  readonly why?: string | undefined
}

/** The window of a limit, by a duration such as `1h` or `7d`; undefined where no limit has it. */
export function windowOf(duration: string): string | undefined {
  const [, count = '', unit = ''] = /^(\d+)(s|m|h|d|w|mo|M)$/.exec(duration) ?? []
  if (unit === 'mo' || unit === 'M') return count === '1' ? 'month' : undefined
  const seconds = Number(count) * ({ s: 1, m: 60, h: 3600, d: 86_400, w: 7 * 86_400 }[unit] ?? 0)
  if (seconds === 60) return 'minute'
  if (seconds === 3600) return 'hour'
  return seconds > 0 && seconds % 86_400 === 0 && seconds <= 90 * 86_400 ? `${seconds / 86_400}d` : undefined
}
