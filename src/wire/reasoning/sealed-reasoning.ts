/** A thought as its backend signed or sealed it, a block of Messages or an item of Responses: it takes back no other. */
export type SignedThought =
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
  | { readonly type: 'redacted_thinking'; readonly data: string }
  | { readonly type: 'reasoning'; readonly id: string; readonly encrypted_content: string }

/** A chat backend's signature of a call: Gemini takes a call back with its signature alone. */
export interface CallSignature {
  /** The id of the call, as the client has it. */
  readonly call: string
  /** Who has a member of the call for it. */
  readonly of: 'google' | 'litellm'
  readonly signature: string
}

/** The member of a chat message in which its backend told its reasoning. */
export type ReasoningField = 'reasoning_content' | 'reasoning'

/** A model's reasoning, and the part that its backend signed. */
export interface Reasoning {
  readonly text: string
  readonly signed: readonly SignedThought[]
  readonly calls?: readonly CallSignature[]
  /** Absent: `reasoning_content`. */
  readonly field?: ReasoningField
}

/**
 * Reasoning as a text that a client keeps and sends back without reading it: `encrypted_content` of Responses, `signature`
 * of Messages. It needs no key, since the client may write anything into its history anyway, and backends check what they
 * signed.
 */
export function sealReasoning(
  text: string,
  signed: readonly SignedThought[] = [],
  { calls = [], field }: SealedTerms = {},
): string {
  const fields = [
    ...signed.flatMap(fieldsOf),
    ...calls.flatMap(({ of, call, signature }) => [of, call, signature]),
    ...(field === undefined ? [] : ['field', field, '']),
  ]
  if (fields.length === 0) return sealed(unmarked(text))
  const own = text === thinkingIn(signed) ? '' : text
  return sealed(['', own, ...fields].map(unmarked).join(BETWEEN))
}

interface SealedTerms {
  readonly calls?: readonly CallSignature[]
  readonly field?: ReasoningField | undefined
}

/** The reasoning in such a text; undefined where another service wrote it. */
export function unseal(text: unknown): Reasoning | undefined {
  if (!isSealed(text)) return undefined
  const opened = Buffer.from(text.slice(MARK.length), 'base64url').toString()
  if (!opened.startsWith(BETWEEN)) return { text: unmarked(opened), signed: [] }
  // No JSON: a body could hide more in it than its own values may be.
  const [, own = '', ...fields] = opened.split(BETWEEN, 2 + 3 * MOST_SIGNED)
  const signed: SignedThought[] = []
  const calls: CallSignature[] = []
  let field: ReasoningField | undefined
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [type = '', first = '', second = ''] = fields.slice(at, at + 3)
    signed.push(...signedBy([type, first, second]))
    if (type === 'google' || type === 'litellm') calls.push({ call: first, of: type, signature: second })
    if (type === 'field' && first === 'reasoning') field = first
  }
  return {
    text: own === '' ? thinkingIn(signed) : own,
    signed,
    ...(calls.length > 0 && { calls }),
    ...(field && { field }),
  }
}

/** The reasoning in a seal, without the part that its backend signed. */
export const unsealReasoning = (text: unknown): string | undefined => unseal(text)?.text

/** Whether a text was sealed here. */
export const isSealed = (text: unknown): text is string => typeof text === 'string' && text.startsWith(MARK)

const MARK = 'svc1.'

/** No model says it, and no text that was unsealed may have it: it marks texts that were left out of a body (fast/marked-texts.ts). */
const BETWEEN = '\0'

/** Thoughts of one turn of a model. */
const MOST_SIGNED = 256

const sealed = (text: string): string => MARK + Buffer.from(text).toString('base64url')

const unmarked = (text: string): string => text.replaceAll(BETWEEN, '')

const thinkingIn = (signed: readonly SignedThought[]): string =>
  signed.map(thought => (thought.type === 'thinking' ? thought.thinking : '')).join('')

function fieldsOf(thought: SignedThought): readonly string[] {
  switch (thought.type) {
    case 'thinking':
      return [thought.type, thought.thinking, thought.signature]
    case 'redacted_thinking':
      return [thought.type, thought.data, '']
    case 'reasoning':
      return [thought.type, thought.id, thought.encrypted_content]
  }
}

function signedBy([type, first = '', second = '']: readonly string[]): readonly SignedThought[] {
  if (type === 'thinking') return [{ type, thinking: first, signature: second }]
  if (type === 'redacted_thinking') return [{ type, data: first }]
  return type === 'reasoning' ? [{ type, id: first, encrypted_content: second }] : []
}
