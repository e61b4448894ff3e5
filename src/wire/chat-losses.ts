import type { Speech } from '../policy/config.ts'
import type { LostFields } from '../policy/facts.ts'
import { asObject, isObject, type JsonObject } from './json-safety.ts'

/**
 * What of a chat is not sent, by the dialect of the backend; undefined where nothing is lost. A field
 * that says what is done anyway is none, and neither are hints that change nothing but the cost: `prompt_cache_key`.
 */
export function lossesOfChat(chat: JsonObject): LostFields | undefined {
  const found: Found = {}
  for (const field in chat) {
    const loss = LOSSES.get(field)
    if (loss?.says(chat[field])) for (const into of loss.into) add(found, into, field)
  }
  for (const message of Array.isArray(chat.messages) ? chat.messages : []) addMessage(message, found)
  return found.chat || found.messages || found.responses ? found : undefined
}

/** The same beside what was lost on the way to the chat, whose fields have other names where its client wrote them. */
export function lossesInAll(
  read: readonly string[],
  ofChat: LostFields | undefined,
  names: Readonly<Record<string, string>>,
): LostFields | undefined {
  if (read.length === 0 && !ofChat) return undefined
  const named = (fields: readonly string[] = []) => [...new Set(fields.map(field => names[field] ?? field))]
  const messages = [...read, ...named(ofChat?.messages)]
  const responses = [...read, ...named(ofChat?.responses)]
  return {
    ...(read.length > 0 && { chat: read }),
    ...(messages.length > 0 && { messages }),
    ...(responses.length > 0 && { responses }),
  }
}

type Found = { [Into in Speech]?: string[] }

function add(found: Found, into: keyof Found, field: string): void {
  const fields = found[into]
  if (!fields) found[into] = [field]
  else if (!fields.includes(field)) fields.push(field)
}

interface Loss {
  readonly into: readonly (keyof Found)[]
  /** Whether a value asks for anything. */
  readonly says: (value: unknown) => boolean
}

const BOTH = ['messages', 'responses'] as const
const ALL = ['chat', ...BOTH] as const

const otherThan =
  (...defaults: readonly unknown[]) =>
  (value: unknown): boolean =>
    value !== undefined && value !== null && !defaults.includes(value)

const isFull = (value: unknown): boolean =>
  typeof value === 'string'
    ? value !== ''
    : isObject(value) || Array.isArray(value)
      ? Object.keys(value).length > 0
      : false

const LOSSES: ReadonlyMap<string, Loss> = new Map<string, Loss>([
  // Nothing is kept: what is asked for here is asked of the backend.
  ['store', { into: ALL, says: value => value === true }],
  ['stop', { into: ['responses'], says: isFull }],
  ['top_k', { into: ['responses'], says: value => typeof value === 'number' && value > 0 }],
  ['logprobs', { into: ['messages'], says: otherThan(false) }],
  ['top_logprobs', { into: ['messages'], says: otherThan(0) }],
  ['verbosity', { into: ['messages'], says: otherThan('medium') }],
  ['response_format', { into: ['messages'], says: value => asObject(value).type === 'json_object' }],
  ['seed', { into: BOTH, says: otherThan() }],
  ['logit_bias', { into: BOTH, says: isFull }],
  ['frequency_penalty', { into: BOTH, says: otherThan(0) }],
  ['presence_penalty', { into: BOTH, says: otherThan(0) }],
  ['repetition_penalty', { into: BOTH, says: otherThan(1) }],
  ['min_p', { into: BOTH, says: otherThan(0) }],
  ['top_a', { into: BOTH, says: otherThan(0) }],
  ['typical_p', { into: BOTH, says: otherThan(1) }],
  ['stop_token_ids', { into: BOTH, says: isFull }],
  ['include_stop_str_in_output', { into: BOTH, says: otherThan(false) }],
  ['skip_special_tokens', { into: BOTH, says: otherThan(true) }],
  ['spaces_between_special_tokens', { into: BOTH, says: otherThan(true) }],
])

/** The name of who speaks, and how closely an image is looked at. That of a tool is in its call as well. */
function addMessage(message: unknown, found: Found): void {
  const { role, name, content } = asObject(message)
  if (typeof name === 'string' && role !== 'tool' && role !== 'function')
    for (const into of BOTH) add(found, into, 'messages.name')
  for (const part of Array.isArray(content) ? content : []) {
    const { image_url } = asObject(part)
    if (isObject(image_url) && otherThan('auto')(image_url.detail)) add(found, 'messages', 'image_url.detail')
  }
}
