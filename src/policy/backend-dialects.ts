/** Traits of a backend dialect that requests and pools depend on. Its wire format is a row of src/wire/dialects.ts. */
export interface BackendDialect {
  /** Whether its backends know marks for a prompt cache in a chat that was translated for them. */
  readonly cacheMarks: boolean | 'by provider'
  /** The header that has the key of a pool which speaks nothing else. Without it the key is sent as bearer. */
  readonly keyHeader?: string
  /** Headers that a pool is sent unless it has others of the same name. */
  readonly headers?: Readonly<Record<string, string>>
  /** How its backends are asked for beta features; undefined where they have none. */
  readonly betas: Betas | undefined
}

/** Beta features, of which `betas` of a pool says which ones clients may use. */
export interface Betas {
  /** The header that names those of a request. */
  readonly header: string
  /** Members that belong to a feature, and how its name begins: backends refuse the member where the header lacks the name. */
  readonly members: ReadonlyMap<string, string>
}

/** https://docs.claude.com/en/api/beta-headers */
const ANTHROPIC_BETAS: Betas = {
  header: 'anthropic-beta',
  members: new Map([
    ['context_management', 'context-management-'],
    ['output_format', 'structured-outputs-'],
  ]),
}

/** A row for each word of `speaks`, in the order in which a translation prefers them: the first one loses least. */
const rows = {
  // Chats are the form that everything is translated from.
  chat: { cacheMarks: 'by provider', betas: undefined },
  messages: {
    cacheMarks: true,
    keyHeader: 'x-api-key',
    headers: { 'anthropic-version': '2023-06-01' },
    betas: ANTHROPIC_BETAS,
  },
  // It has no stop sequences.
  responses: { cacheMarks: false, betas: undefined },
} as const satisfies Record<string, BackendDialect>

/** A dialect of backends: chat completions, Anthropic's Messages, OpenAI's Responses. */
export type DialectName = keyof typeof rows

export const BACKEND_DIALECTS: Readonly<Record<DialectName, BackendDialect>> = rows

/** The one that a translation prefers, first. */
export const DIALECT_NAMES = Object.keys(rows) as readonly DialectName[]

/** The dialects whose backends have beta features. */
export const BETA_DIALECTS: ReadonlyMap<DialectName, Betas> = new Map(
  DIALECT_NAMES.flatMap(name => {
    const { betas } = BACKEND_DIALECTS[name]
    return betas ? [[name, betas] as const] : []
  }),
)
