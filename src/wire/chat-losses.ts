import { DIALECT_NAMES, type DialectName } from '../policy/backend-dialects.ts'
import type { LostFields } from '../policy/facts.ts'
import { asObject, isObject, type JsonObject } from './json-safety.ts'

/**
 * The fields of a chat that a translation drops, by target dialect; undefined if none is dropped. A field that only
 * states the default is not a loss, and neither are hints that affect nothing but the cost, such as `prompt_cache_key`.
 */
export function lossesOfChat(chat: JsonObject): LostFields | undefined {
  const found: Found = {}
  for (const field in chat) {
    const loss = LOSSES.get(field)
    if (loss?.asks(chat[field])) add(found, loss.into, field)
  }
  for (const message of Array.isArray(chat.messages) ? chat.messages : []) addMessage(message, found)
  return DIALECT_NAMES.some(into => found[into]) ? found : undefined
}

/** These losses together with those of the translation into a chat, under the names that the client used. */
export function lossesInAll(
  read: readonly string[],
  ofChat: LostFields | undefined,
  names: Readonly<Record<string, string>>,
): LostFields | undefined {
  if (read.length === 0 && !ofChat) return undefined
  const named = (fields: readonly string[] = []) => [...new Set(fields.map(field => names[field] ?? field))]
  const lost: { [Into in DialectName]?: readonly string[] } = {}
  for (const into of DIALECT_NAMES) {
    const fields = into === 'chat' ? read : [...read, ...named(ofChat?.[into])]
    if (fields.length > 0) lost[into] = fields
  }
  return lost
}

type Found = { [Into in DialectName]?: string[] }

function add(found: Found, dialects: readonly DialectName[], field: string): void {
  for (const into of dialects) {
    const fields = found[into]
    if (!fields) found[into] = [field]
    else if (!fields.includes(field)) fields.push(field)
  }
}

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

/** Fields that some dialect lacks, and when a value requests something. */
const ASKS = {
  store: value => value === true,
  stop: isFull,
  top_k: value => typeof value === 'number' && value > 0,
  logprobs: otherThan(false),
  top_logprobs: otherThan(0),
  verbosity: otherThan('medium'),
  response_format: value => asObject(value).type === 'json_object',
  seed: otherThan(),
  logit_bias: isFull,
  frequency_penalty: otherThan(0),
  presence_penalty: otherThan(0),
  repetition_penalty: otherThan(1),
  min_p: otherThan(0),
  top_a: otherThan(0),
  typical_p: otherThan(1),
  stop_token_ids: isFull,
  include_stop_str_in_output: otherThan(false),
  skip_special_tokens: otherThan(true),
  spaces_between_special_tokens: otherThan(true),
} as const satisfies Readonly<Record<string, (value: unknown) => boolean>>

type Field = keyof typeof ASKS

/** Fields of messages: the speaker's name, and the detail of images. */
type MessageField = 'messages.name' | 'image_url.detail'

/** Fields that only chat completions have. */
const OF_CHAT_COMPLETIONS: readonly (Field | MessageField)[] = [
  'seed',
  'logit_bias',
  'frequency_penalty',
  'presence_penalty',
  'repetition_penalty',
  'min_p',
  'top_a',
  'typical_p',
  'stop_token_ids',
  'include_stop_str_in_output',
  'skip_special_tokens',
  'spaces_between_special_tokens',
  'messages.name',
]

/** The fields dropped by a translation into each dialect. */
const LOST: Readonly<Record<DialectName, readonly (Field | MessageField)[]>> = {
  // `store` requests storage here, not at the backend.
  chat: ['store'],
  messages: [
    'store',
    ...OF_CHAT_COMPLETIONS,
    'logprobs',
    'top_logprobs',
    'verbosity',
    'response_format',
    'image_url.detail',
  ],
  responses: ['store', ...OF_CHAT_COMPLETIONS, 'stop', 'top_k'],
}

const lostInto = (field: Field | MessageField): readonly DialectName[] =>
  DIALECT_NAMES.filter(into => LOST[into].includes(field))

interface Loss {
  readonly into: readonly DialectName[]
  readonly asks: (value: unknown) => boolean
}

const LOSSES: ReadonlyMap<string, Loss> = new Map(
  (Object.keys(ASKS) as Field[]).map(field => [field, { into: lostInto(field), asks: ASKS[field] }]),
)
const NAME = lostInto('messages.name')
const DETAIL = lostInto('image_url.detail')

/** The speaker's name, and the detail of images. A tool's name is also in its call. */
function addMessage(message: unknown, found: Found): void {
  const { role, name, content } = asObject(message)
  if (typeof name === 'string' && role !== 'tool' && role !== 'function') add(found, NAME, 'messages.name')
  for (const part of Array.isArray(content) ? content : []) {
    const { image_url } = asObject(part)
    if (isObject(image_url) && otherThan('auto')(image_url.detail)) add(found, DETAIL, 'image_url.detail')
  }
}
