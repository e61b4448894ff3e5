import { type DialectMembers, FREE_MEMBERS } from '../../policy/dialect-members.ts'
import type { NativeSize } from '../../policy/facts.ts'
import { isKnown, oncePerValue } from '../fast/known-value.ts'
import { type MarkedTexts, wholeTexts } from '../fast/marked-texts.ts'
import { asObject, isObject, type JsonObject } from '../json-safety.ts'

/**
 * The size of a Responses or Messages body for a backend that gets it natively: with the parts that its chat leaves out,
 * such as files, reasoning that only the provider can read, and members that its dialect does not have.
 */
export function nativeSizeOf(body: JsonObject, known: DialectMembers, texts: Pick<MarkedTexts, 'sizeOf'>): NativeSize {
  const weigher = new Weigher(kindsOf(known), texts)
  for (const name in body) {
    if (name === 'input') weigher.add(body.input)
    else if (!known.top.has(name)) weigher.addStrange(name, body[name])
    else if (!UNREAD.has(name)) weigher.addMember(name, body[name])
  }
  const tools = Array.isArray(body.tools) ? body.tools.filter(isOfProvider).length : 0
  const { bytes, images, isUnbounded } = weigher
  return { bytes: bytes + tools * TOOL_TOKENS, images, ...(isUnbounded && { isUnbounded }) }
}

class Weigher {
  bytes = 0
  images = 0
  isUnbounded = false
  readonly #kinds: Kinds
  readonly #texts: Pick<MarkedTexts, 'sizeOf'>
  /** How many members are being weighed that no dialect has the names of. */
  #inStrange = 0

  constructor(kinds: Kinds, texts: Pick<MarkedTexts, 'sizeOf'>) {
    this.#kinds = kinds
    this.#texts = texts
  }

  add(value: unknown): void {
    if (typeof value === 'string') this.bytes += this.#texts.sizeOf(value)
    else if (Array.isArray(value)) for (const item of value) this.add(item)
    else if (isObject(value)) this.#addObject(value)
    else this.bytes += String(value).length
  }

  addMember(name: string, value: unknown): void {
    if (PRINTED.has(name) && typeof value === 'object') this.#addPrinted(value)
    else if (this.#inStrange > 0 || !LABELS.has(name)) this.add(value)
  }

  /** A member in which the client chose the names too: they may say as much as texts. */
  addStrange(name: string, value: unknown): void {
    this.bytes += Buffer.byteLength(name) + 4
    this.#inStrange++
    this.add(value)
    this.#inStrange--
  }

  #addObject(object: JsonObject): void {
    if (SPECIAL.has(object.type)) {
      this.#addSpecial(object)
      return
    }
    const { bytes, images } = this
    for (const name in object) {
      const value = object[name]
      const kind = this.#kinds.get(name)
      if (kind === 'file' && typeof value === 'string') {
        Object.assign(this, { bytes, images, isUnbounded: true })
        return
      }
      this.#addKnown(kind, name, value)
    }
  }

  #addKnown(kind: Kind | undefined, name: string, value: unknown): void {
    if (kind === undefined || this.#inStrange > 0) this.addStrange(name, value)
    else if (kind === 'printed' && typeof value === 'object') this.#addPrinted(value)
    else if (kind !== 'label') this.add(value)
  }

  /** One that may be a file or a picture by its type. */
  #addSpecial(object: JsonObject): void {
    if (isFile(object)) {
      this.isUnbounded = true
      return
    }
    const { type } = object
    if (isImage(object) || type === 'image_generation_call') this.images++
    if (isImage(object)) return
    for (const name in object)
      if (type !== 'image_generation_call' || name !== 'result') this.addMember(name, object[name])
  }

  #addPrinted(value: unknown): void {
    this.bytes += isKnown(value) ? printedKnown(value) : printedIn(value, this.#texts)
  }
}

/** Templates print it as JSON, so its names and its punctuation count too. */
function printedIn(value: unknown, texts: Pick<MarkedTexts, 'sizeOf'>): number {
  if (typeof value === 'string') return texts.sizeOf(value) + 2
  if (Array.isArray(value)) {
    let bytes = 2 + value.length
    for (const item of value) bytes += printedIn(item, texts)
    return bytes
  }
  if (!isObject(value)) return String(value).length
  let bytes = 2
  for (const name in value) bytes += Buffer.byteLength(name) + 4 + printedIn(value[name], texts)
  return bytes
}

const printedKnown = oncePerValue(value => printedIn(value, wholeTexts))

/**
 * A file: its bytes are no bound. A PDF holds its texts compressed, and each of its pages is read as text and as a picture,
 * so that a few KB may be a hundred pages; and what stands at an address is not known at all.
 */
function isFile({ type, media_type, file_data, file_url, url }: JsonObject): boolean {
  if (typeof file_data === 'string' || typeof file_url === 'string' || MEDIA.has(type)) return true
  if (type === 'base64') return typeof media_type !== 'string' || !media_type.startsWith('image/')
  return type === 'url' && typeof url === 'string'
}

/** Sound and films, of whose tokens nothing is known either. */
const MEDIA: ReadonlySet<unknown> = new Set(['input_audio', 'input_video', 'video_url', 'video', 'audio'])

/** An image weighs what the model declares for any image, wherever it is. */
const isImage = ({ type, source }: JsonObject): boolean =>
  type === 'input_image' ||
  type === 'computer_screenshot' ||
  type === 'base64' ||
  (type === 'image' && isObject(source))

const isOfProvider = (tool: unknown): boolean => {
  const { type } = asObject(tool)
  return typeof type === 'string' && !OF_CLIENTS.has(type)
}

const OF_CLIENTS: ReadonlySet<string> = new Set(['function', 'custom', 'namespace'])

/** The most tokens that a model reads of its provider's own tool: the request has its name alone. */
const TOOL_TOKENS = 4096

/** Members of a body that no model reads. */
const UNREAD: ReadonlySet<string> = new Set([
  ...['model', 'stream', 'store', 'max_tokens', 'max_output_tokens', 'temperature', 'top_p', 'top_k', 'top_logprobs'],
  ...['metadata', 'user', 'safety_identifier', 'prompt_cache_key', 'include', 'stop_sequences', 'stream_options'],
  ...['parallel_tool_calls', 'service_tier', 'truncation'],
])

/** Members that only name and place something, and what an answer says of its sources. */
const LABELS: ReadonlySet<string> = new Set([
  ...[
    'type',
    'id',
    'status',
    'role',
    'call_id',
    'tool_use_id',
    'cache_control',
    'annotations',
    'citations',
    'logprobs',
  ],
])

/** Members that hold JSON of any form. */
const PRINTED: ReadonlySet<string> = new Set([
  ...['tools', 'text', 'output_config', 'output_format', 'input', 'action', 'arguments', 'results', 'outputs'],
])

/** Types by which an object may be a file or a picture. */
const SPECIAL: ReadonlySet<unknown> = new Set([
  ...MEDIA,
  ...['base64', 'url', 'input_image', 'computer_screenshot', 'image', 'image_generation_call'],
])

type Kind = 'plain' | 'printed' | 'label' | 'file'
type Kinds = ReadonlyMap<string, Kind>

/** One look-up for each member of an object, of which a body has thousands. */
function kindsOf(known: DialectMembers): Kinds {
  const made =
    kinds.get(known) ??
    new Map([
      ...[...known.below].filter(name => !FREE_MEMBERS.has(name)).map(name => [name, 'plain'] as const),
      ...[...LABELS].map(name => [name, 'label'] as const),
      ...[...PRINTED].map(name => [name, 'printed'] as const),
      ...['file_data', 'file_url'].map(name => [name, 'file'] as const),
    ])
  kinds.set(known, made)
  return made
}

const kinds = new WeakMap<DialectMembers, Kinds>()
