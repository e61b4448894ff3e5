import type { FirstToken } from './first-token.ts'
import type { EndedAnswer } from './outcome.ts'

/** Observes the answer of a request that is compared with its copy. */
export interface AnswerWatch extends FirstToken {
  /** An attempt begins: what was seen of those before counts no more. */
  begins(): void
  /** Whole events of a stream, as they go to the client. */
  events(text: string): void
  /** A stream has ended; `last` is the event behind all others, where its dialect has one. */
  concluded(ending: EndedAnswer, last: string): void
}
