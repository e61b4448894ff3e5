/** The conversation in a request so far, on any wire. */
export interface Conversation {
  readonly tools: readonly Tool[]
  /** Calls of the model, oldest first. */
  readonly calls: readonly Call[]
  /** Results of the calls. */
  readonly results: readonly Result[]
  /** Reasoning of the model that the client sent back. */
  readonly reasoning: readonly string[]
  /** Texts of the system and of the user. */
  readonly asked: string
}

export interface Tool {
  readonly name: string
  /** In which it stands, in Responses. */
  readonly namespace?: string
  readonly kind: 'function' | 'custom'
  /** JSON Schemas of the arguments, by name. */
  readonly properties: Readonly<Record<string, Fields>>
  readonly required: readonly string[]
}

export interface Call {
  readonly id: string
  readonly name: string
  readonly namespace?: string
  /** JSON; the plain text of a custom tool. */
  readonly arguments: string
  /** True for a custom tool. */
  readonly isCustom?: boolean
}

export interface Result {
  readonly callId: string
  readonly text: string
}

/** The model's next action. */
export interface Step {
  readonly reasoning?: string
  readonly text?: string
  readonly calls?: readonly Call[]
}

/** The model's script: the next step of a conversation. */
export type Script = (conversation: Conversation) => Step

/** The charged usage of one answer. `input` includes cached tokens, `output` includes reasoning. */
export interface Usage {
  readonly input: number
  readonly cached: number
  readonly output: number
  readonly reasoning: number
}

export type Fields = Readonly<Record<string, unknown>>

export const fields = (value: unknown): Fields => (typeof value === 'object' && value !== null ? { ...value } : {})

export const list = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.map(fields) : [])

/** The text of a content that is a text or a list of parts. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  return list(content)
    .map(({ text }) => (typeof text === 'string' ? text : ''))
    .join('')
}

/** A tool by its JSON Schema. */
export function toolOf(name: unknown, schema: unknown, kind: Tool['kind'] = 'function'): Tool {
  const { properties, required } = fields(schema)
  const named = Object.entries(fields(properties)).map(([key, value]) => [key, fields(value)] as const)
  return {
    name: String(name),
    kind,
    properties: Object.fromEntries(named),
    required: Array.isArray(required) ? required.map(String) : [],
  }
}

/** Splits a text into pieces, as models stream it. */
export function piecesOf(text: string, size = 7): string[] {
  return text.match(new RegExp(`[\\s\\S]{1,${size}}`, 'gu')) ?? []
}

/** The pieces of the arguments of all calls, one of each call in turn: parallel calls come interleaved. */
export function argumentPieces({ calls = [] }: Step): { readonly at: number; readonly piece: string }[] {
  const rows = calls.map(call => piecesOf(call.arguments))
  const longest = Math.max(0, ...rows.map(({ length }) => length))
  return Array.from({ length: longest }, (_, turn) =>
    rows.flatMap((row, at) => {
      const piece = row[turn]
      return piece === undefined ? [] : [{ at, piece }]
    }),
  ).flat()
}
