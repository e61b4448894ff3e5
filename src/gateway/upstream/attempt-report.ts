import type { AnswerEnd, Ended, NoAnswer } from '../attempt/outcome.ts'

/** Reports one attempt, once it is over, to the counter of attempts and to the trace of its request. */
export interface AttemptReport {
  /** The trace context for the backend. */
  readonly traceparent?: string | undefined
  /** It came to no answer. */
  failed(outcome: NoAnswer): void
  /** It answered, and the answer is over. */
  over(end: AnswerEnd, work: Ended, status: number): void
}
