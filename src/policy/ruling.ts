import type { Place } from './config.ts'
import type { Stage, Step } from './decision.ts'
import type { Denial } from './denial.ts'

/** What one stage says: its step, and either a value or a denial. */
export type Ruling<T> = { readonly step: Step; readonly value: T } | Refused

export interface Refused {
  readonly step: Step
  readonly denial: Denial
}

/** Notes the step of a ruling and hands the ruling on. */
export function ruled<T>(why: Step[], ruling: Ruling<T>): Ruling<T> {
  why.push(ruling.step)
  return ruling
}

/** The client asked for what cannot be, in this field. */
export function refused(stage: Stage, field: string, problem: string, at?: Place): Refused {
  return {
    step: { stage, outcome: 'deny', text: `${field}: ${problem}`, ...(at && { at }) },
    denial: { code: 'VALIDATION_ERROR', field, problem },
  }
}
