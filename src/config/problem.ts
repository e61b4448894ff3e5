import type { Place } from '../policy/config.ts'

/** A mistake in an operator's file, at its place. Problems are reported all at once, never thrown one by one. */
export interface Problem extends Place {
  /** Stable id in kebab-case, such as `unknown-field`. */
  readonly rule: string
  readonly severity: 'error' | 'warning'
  /** One sentence without a full stop; names are in backticks. */
  readonly message: string
  /** The remedy. */
  readonly hint?: string
  /** How many characters the caret underlines; 1 when left out. */
  readonly length?: number
}

/** A Problem without its place. */
export type ProblemText = Pick<Problem, 'rule' | 'message' | 'hint'>

/** Takes a Problem; they are reported where they are found and printed all at once. */
export type Report = (problem: Problem) => void

/** Reports at a path below a node, or at the node when the path leads nowhere. */
export type Say = (
  path: readonly (string | number)[],
  severity: Problem['severity'],
  rule: string,
  message: string,
  hint: string,
) => void
