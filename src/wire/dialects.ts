import type { Pool, Speech } from '../policy/config.ts'
import { translationFor } from '../policy/dialect.ts'
import type { Dialect } from './dialect.ts'
import { messagesDialect } from './messages/backend.ts'
import { openai } from './openai/dialect.ts'
import { responsesDialect } from './responses/backend.ts'

/** How backends are spoken to, by the name of the dialect in `speaks`. */
export const DIALECTS: Readonly<Record<Speech, Dialect>> = {
  chat: openai,
  messages: messagesDialect,
  responses: responsesDialect,
}

/** The dialect in which a pool is asked for what did not come in a dialect that it speaks. */
export const dialectOf = (pool: Pick<Pool, 'speaks'>): Dialect => DIALECTS[translationFor(pool)]
