import type { FirstToken } from './first-token.ts'
import type { EndedAnswer } from './outcome.ts'

/** Observes the answer of a request that is compared with its copy. */
export interface AnswerWatch extends FirstToken {
  /** An attempt begins; observations of earlier ones no longer count. */
  begins(): void
  /** Complete events of a stream, as the client receives them. */
  events(text: string): void
  /** A stream ended; `last` is its final event, if its dialect has one. */
  concluded(ending: EndedAnswer, last: string): void
}
