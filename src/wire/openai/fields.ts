import type { Accepts, DeclaredFields } from '../../policy/config.ts'
import type { Extra } from '../../policy/facts.ts'
import { type FieldKind, KNOWN_FIELDS, whyRefused } from '../../policy/fields.ts'
import { fieldName, isObject, type JsonObject } from '../json-safety.ts'
import type { Invalid } from './validate.ts'

/** The fields of a body that are not known to every request of its kind. */
export interface Fields {
  /** Absent where there are none: what models of the files declare, for the policy to judge. */
  readonly extras?: Readonly<Record<string, Extra>>
  /** Fields that are not sent: each is null, or asks for what is done anyway. */
  readonly mute: readonly string[]
}

const NO_FIELDS: DeclaredFields = new Map()
const PLAIN: Fields = { mute: [] }

/** Sorts the fields of a body, of which the first that no request may carry is what is wrong with it. */
export function readFields(kind: FieldKind, body: JsonObject, declared = NO_FIELDS): Fields | Invalid {
  const known = KNOWN_FIELDS[kind]
  let extras: Record<string, Extra> | undefined
  let mute: string[] | undefined
  for (const field in body) {
    if (known.has(field)) continue
    const value = body[field]
    const words = declared.get(field)
    if (value !== null && words) {
      extras ??= {}
      extras[field] = extraOf(value, words, saysNothing(kind, field, value))
    } else if (value === null || saysNothing(kind, field, value)) {
      mute ??= []
      mute.push(field)
    } else {
      return { field: fieldName([field]), problem: whyRefused(field) }
    }
  }
  if (!extras && !mute) return PLAIN
  return extras ? { extras, mute: mute ?? [] } : { mute: mute ?? [] }
}

export const isInvalid = (fields: Fields | Invalid): fields is Invalid => 'problem' in fields

/** UTF-8 bytes of texts and JSON in declared fields: a model may read them like a prompt. */
export function extraBytes({ extras }: Fields): number {
  let bytes = 0
  for (const field in extras) if (isText(extras[field])) bytes += extras[field]?.bytes ?? 0
  return bytes
}

/** Numbers and booleans are no text. */
const isText = (extra: Extra | undefined): boolean =>
  typeof extra?.value !== 'number' && typeof extra?.value !== 'boolean'

/** The fields of a body that no backend is sent: mute ones, and those that its model does not declare. */
export function unsentOf({ extras, mute }: Fields, accepts: Accepts | undefined): readonly string[] {
  if (!extras) return mute
  return [...mute, ...Object.keys(extras).filter(field => !accepts?.has(field))]
}

/** A body without some of its fields. */
export function withoutFields(body: JsonObject, unsent: readonly string[]): JsonObject {
  if (unsent.length === 0) return body
  const left = new Set(unsent)
  return Object.fromEntries(Object.entries(body).filter(([field]) => !left.has(field)))
}

function extraOf(value: unknown, words: ReadonlySet<string>, isDefault: boolean): Extra {
  const bytes = Buffer.byteLength(JSON.stringify(value))
  const extra = { bytes, ...(isDefault && { isDefault }) }
  if (typeof value === 'number' || typeof value === 'boolean') return { ...extra, value }
  if (typeof value !== 'string') return extra
  return { ...extra, characters: value.length, ...(words.has(value) && { value }) }
}

type Says = (value: unknown) => boolean

const is =
  (...values: readonly unknown[]): Says =>
  value =>
    values.includes(value)
const isEmpty: Says = value => isObject(value) && Object.keys(value).length === 0

/** Values that SDKs and agents send unasked, and that say what is done anyway. Null does so of every field. */
const ALL: Readonly<Record<string, Says>> = {
  service_tier: is('auto', 'default'),
  metadata: isObject,
  store: is(false),
  extra_body: isEmpty,
  extra_headers: isEmpty,
  extra_query: isEmpty,
}

const MUTE: Readonly<Record<FieldKind, Readonly<Record<string, Says>>>> = {
  chat: {
    ...ALL,
    modalities: value => Array.isArray(value) && value.length === 1 && value[0] === 'text',
    best_of: is(1),
    echo: is(false),
    ignore_eos: is(false),
    min_tokens: is(0),
    use_beam_search: is(false),
    add_generation_prompt: is(true),
    continue_final_message: is(false),
    prompt_cache_retention: is('in_memory', 'in-memory'),
    include_reasoning: is(true),
    // OpenRouter's field; usage is reported anyway.
    usage: isObject,
  },
  embedding: ALL,
  image: {
    ...ALL,
    quality: is('auto', 'standard'),
    style: is('vivid', 'natural'),
    background: is('auto', 'opaque'),
    output_format: is('png'),
    output_compression: is(100),
    moderation: is('auto'),
    stream: is(false),
    partial_images: is(0),
  },
}

function saysNothing(kind: FieldKind, field: string, value: unknown): boolean {
  const says = Object.hasOwn(MUTE[kind], field) ? MUTE[kind][field] : undefined
  return says?.(value) === true
}
