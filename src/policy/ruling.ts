import type { Step } from './decision.ts'
import type { Denial } from './denial.ts'

/** What one stage says: its step, and either a value or a denial. */
export type Ruling<T> = { readonly step: Step; readonly value: T } | { readonly step: Step; readonly denial: Denial }

/** Notes the step of a ruling and hands the ruling on. */
export function ruled<T>(why: Step[], ruling: Ruling<T>): Ruling<T> {
  why.push(ruling.step)
  return ruling
}
