import type { Place } from '../policy/config.ts'

/** What is wrong with an operator's file, at its place. Reported all at once, never thrown one by one. */
export interface Problem extends Place {
  /** Stable id in kebab-case, such as `unknown-field`. */
  readonly rule: string
  readonly severity: 'error' | 'warning'
  /** One sentence without a full stop; names are in backticks. */
  readonly message: string
  /** What to do about it. */
  readonly hint?: string
  /** How many characters the caret underlines; 1 when left out. */
  readonly length?: number
}
