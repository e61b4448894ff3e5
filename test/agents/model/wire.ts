import type { Conversation, Fields, Step, Usage } from './conversation.ts'

/** One form in which clients and backends speak. */
export interface Wire {
  readonly path: string
  read(body: Fields): Conversation
  /** A whole answer. */
  whole(step: Step, usage: Usage, body: Fields): Fields
  /** Returns the answer as events, each with its blank line. */
  stream(step: Step, usage: Usage, body: Fields): string[]
}
