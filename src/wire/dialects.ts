import type { Pool, Speech } from '../policy/config.ts'
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

/** The dialect in which a pool is asked for what did not come in a dialect that it speaks: chat, where it speaks that. */
export function dialectOf({ speaks }: Pick<Pool, 'speaks'>): Dialect {
  if (speaks.includes('chat')) return DIALECTS.chat
  // Of the two it is the one that loses less: Responses has no stop sequences.
  return speaks.includes('messages') ? DIALECTS.messages : DIALECTS.responses
}
