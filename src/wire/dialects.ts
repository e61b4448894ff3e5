import type { DialectName } from '../policy/backend-dialects.ts'
import type { Pool } from '../policy/config.ts'
import { translationFor } from '../policy/dialect.ts'
import type { Dialect, InferenceKind } from './dialect.ts'
import { withoutLikelihoods } from './fast/likelihoods.ts'
import { messagesDialect } from './messages/backend.ts'
import { openai } from './openai/dialect.ts'
import { responsesDialect } from './responses/backend.ts'
import type { Steps } from './steps.ts'

/** How backends are spoken to, by the name of the dialect in `speaks`. */
export const DIALECTS: Readonly<Record<DialectName, Dialect>> = {
  chat: openai,
  messages: messagesDialect,
  responses: responsesDialect,
}

/** The dialect in which a pool is asked for what did not come in a dialect that it speaks. */
export const dialectOf = (pool: Pick<Pool, 'speaks'>): Dialect => DIALECTS[translationFor(pool)]

/** `answer` of a dialect, in steps where the answer is large. */
export function* publicAnswer(dialect: Dialect, kind: InferenceKind, bytes: Buffer): Steps<Buffer | undefined> {
  // Without a translator its backends speak the public form.
  const light = dialect.translator ? yield* withoutLikelihoods(bytes) : undefined
  if (!light) return dialect.answer(kind, bytes)
  const answer = dialect.answer(kind, light.bytes)
  return answer && (yield* light.restored(answer))
}
