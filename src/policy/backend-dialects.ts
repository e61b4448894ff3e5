/** The traits of a backend dialect that requests and pools depend on. src/wire/dialects.ts has its wire format. */
export interface BackendDialect {
  /** Whether its backends accept prompt cache marks in a translated chat. */
  readonly cacheMarks: boolean | 'by provider'
  /** The header for the key of a pool that speaks only this dialect. The default is a bearer token. */
  readonly keyHeader?: string
  /** Headers for each request, unless the pool sets its own of the same name. */
  readonly headers?: Readonly<Record<string, string>>
  /** How requests enable beta features; undefined for a dialect without them. */
  readonly betas: Betas | undefined
}

/** The beta features of a dialect; `betas` of a pool lists those that clients may use. */
export interface Betas {
  /** The header in which a request names its features. */
  readonly header: string
  /** Members that need a feature, each with the prefix of its name: backends refuse the member unless the header names the feature. */
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
  // Every translation starts from a chat.
  chat: { cacheMarks: 'by provider', betas: undefined },
  messages: {
    cacheMarks: true,
    keyHeader: 'x-api-key',
    headers: { 'anthropic-version': '2023-06-01' },
    betas: ANTHROPIC_BETAS,
  },
  // Responses has no stop sequences.
  responses: { cacheMarks: false, betas: undefined },
} as const satisfies Record<string, BackendDialect>

/** A dialect of backends: chat completions, Anthropic's Messages, OpenAI's Responses. */
export type DialectName = keyof typeof rows

export const BACKEND_DIALECTS: Readonly<Record<DialectName, BackendDialect>> = rows

/** The dialects in the order in which a translation prefers them. */
export const DIALECT_NAMES = Object.keys(rows) as readonly DialectName[]

/** The dialects whose backends have beta features. */
export const BETA_DIALECTS: ReadonlyMap<DialectName, Betas> = new Map(
  DIALECT_NAMES.flatMap(name => {
    const { betas } = BACKEND_DIALECTS[name]
    return betas ? [[name, betas] as const] : []
  }),
)
