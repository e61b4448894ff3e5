/** Traits of a backend dialect that requests and pools depend on. Its wire format is a row of src/wire/dialects.ts. */
export interface BackendDialect {
  /** Whether its backends know marks for a prompt cache in a chat that was translated for them. */
  readonly cacheMarks: boolean | 'by provider'
  /** The header that has the key of a pool which speaks nothing else. Without it the key is sent as bearer. */
  readonly keyHeader?: string
  /** Headers that a pool is sent unless it has others of the same name. */
  readonly headers?: Readonly<Record<string, string>>
}

/** A row for each word of `speaks`, in the order in which a translation prefers them: the first one loses least. */
const rows = {
  // Chats are the form that everything is translated from.
  chat: { cacheMarks: 'by provider' },
  messages: { cacheMarks: true, keyHeader: 'x-api-key', headers: { 'anthropic-version': '2023-06-01' } },
  // It has no stop sequences.
  responses: { cacheMarks: false },
} as const satisfies Record<string, BackendDialect>

/** A dialect of backends: chat completions, Anthropic's Messages, OpenAI's Responses. */
export type DialectName = keyof typeof rows

export const BACKEND_DIALECTS: Readonly<Record<DialectName, BackendDialect>> = rows

/** The one that a translation prefers, first. */
export const DIALECT_NAMES = Object.keys(rows) as readonly DialectName[]
