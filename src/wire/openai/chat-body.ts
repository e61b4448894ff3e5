import type { CapField } from '../../policy/config.ts'
import type { ChatAsk } from '../../policy/facts.ts'
import type { PoolFacts } from '../../policy/providers/profile.ts'
import { oncePerValue } from '../fast/known-value.ts'
import type { Texts } from '../fast/outline.ts'
import { spliced } from '../fast/splice.ts'
import { asObject, isObject, type JsonObject } from '../json-safety.ts'
import type { BackendTerms } from './backend-terms.ts'
import type { OutlinedBody } from './body.ts'
import { hasOtherIds, withAcceptedIds } from './call-ids.ts'
import { withoutFields } from './fields.ts'
import { isMarked, unmarked } from './hosted-chat.ts'
import { isSound, isSoundMessage, repaired } from './repairs.ts'
import { hasOtherThoughts, withAcceptedThoughts } from './thought-parts.ts'

/** A chat, and what of its body no backend is sent. */
export interface SortedChat {
  readonly request: ChatAsk
  /** Whether its messages and tools hold nothing that is not known to its backend. */
  readonly isPlain: boolean
  /** Whether marks for a cache are known to it. */
  readonly marks?: boolean | undefined
  /** Fields of the body. */
  readonly unsent: readonly string[]
}

/** The part of a body that is sent. */
export function sentOf(body: JsonObject, { isPlain, unsent, marks }: Omit<SortedChat, 'request'>): JsonObject {
  const sent = withoutFields(body, unsent)
  return isPlain ? sent : repaired(plainly(sent, marks ? MARKED : PLAIN))
}

/** The body for one backend: its own model name, the granted cap, and usage always asked for. */
export function backendChat(parsed: OutlinedBody, chat: SortedChat, terms: BackendTerms): Buffer {
  const { outline, texts, written } = parsed
  const { request, isPlain, unsent } = chat
  // Every mark of a tool has to go.
  if (!written || !isPlain || isMarked(outline) || isRespelt(outline, request, terms)) {
    const body = unmarked(sentOf(texts.json ? outline : texts.whole(), chat))
    return writtenAnew(body, request, terms, texts)
  }
  const caps = capsOf(request, terms)
  const changes = [{ name: 'model', json: JSON.stringify(terms.model) }]
  for (const name of caps) changes.push({ name, json: String(terms.output) })
  if (terms.streams) changes.push({ name: 'stream', json: 'true' })
  if (terms.cacheSalt !== undefined) changes.push({ name: 'cache_salt', json: JSON.stringify(terms.cacheSalt) })
  if (terms.priority !== undefined) changes.push({ name: 'priority', json: String(terms.priority) })
  const hasOptions = takesOptions(terms)
  if (hasOptions && (terms.streams || request.stream))
    changes.push({ name: 'stream_options', json: streamOptionsJson(outline) })
  const others: string[] = CAP_FIELDS.filter(name => !caps.includes(name) && outline[name] !== undefined)
  if (!hasOptions && outline.stream_options !== undefined) others.push('stream_options')
  return spliced(written, changes, others.length > 0 ? [...unsent, ...others] : unsent)
}

/** Writes a body without the client's bytes, one that the client could have sent. */
export function writtenAnew(
  body: JsonObject,
  request: ChatAsk,
  terms: BackendTerms,
  texts?: Pick<Texts, 'json'>,
): Buffer {
  // Rest instead of delete: the body is shared by the attempts.
  const { model: _named, max_tokens: _cap, max_completion_tokens: _newerCap, stream_options, ...rest } = body
  const asked = terms.streams || request.stream ? streamOptions(body) : stream_options
  const options = takesOptions(terms) ? asked : undefined
  // Our fields come first: adding them to a copy of the rest costs ten times as much.
  const anew = {
    model: terms.model,
    ...Object.fromEntries(capsOf(request, terms).map(name => [name, terms.output])),
    ...(options !== undefined && { stream_options: options }),
    ...respelt(rest, request, terms),
    ...(terms.streams && { stream: true }),
    ...(terms.cacheSalt !== undefined && { cache_salt: terms.cacheSalt }),
    ...(terms.priority !== undefined && { priority: terms.priority }),
  }
  return texts?.json?.(anew) ?? Buffer.from(JSON.stringify(anew))
}

const CAP_FIELDS: readonly CapField[] = ['max_tokens', 'max_completion_tokens']

const takesOptions = ({ facts }: BackendTerms): boolean => facts?.streamOptions !== false

/** Whether roles of messages have another name at the backend. */
const isRenamed = ({ developer }: ChatAsk, { facts }: BackendTerms): boolean =>
  developer === true && facts?.developerRole === false

/** Whether its messages say something in a form that the backend does not take. */
const isRespelt = (body: JsonObject, request: ChatAsk, terms: BackendTerms): boolean =>
  isRenamed(request, terms) || hasOtherIds(body, terms.facts) || hasOtherThoughts(body, terms.facts)

/** A body whose messages mean the same in the backend's form. */
function respelt(body: JsonObject, request: ChatAsk, terms: BackendTerms): JsonObject {
  const renamed = isRenamed(request, terms) ? withoutDevelopers(body) : body
  return withAcceptedThoughts(withAcceptedIds(renamed, terms.facts), terms.facts)
}

/** A body whose instructions are all those of a system. */
function withoutDevelopers(body: JsonObject): JsonObject {
  const { messages } = body
  if (!Array.isArray(messages)) return body
  const renamed = messages.map(message =>
    asObject(message).role === 'developer' ? { ...asObject(message), role: 'system' } : message,
  )
  return { ...body, messages: renamed }
}

/** The fields of a body that the provider of a backend does not take. */
export function droppedIn(body: JsonObject, { optional }: ChatAsk, facts: PoolFacts | undefined): readonly string[] {
  if (!optional || !facts || facts.drops.length === 0) return NONE
  return facts.drops.filter(field => body[field] !== undefined)
}

const NONE: readonly string[] = []

const capsOf = ({ cap }: ChatAsk, { caps }: BackendTerms): readonly CapField[] => caps ?? [cap?.field ?? 'max_tokens']

const streamOptions = ({ stream_options }: JsonObject): JsonObject => ({
  ...asObject(stream_options),
  include_usage: true,
})

/** Most clients leave them out. */
const streamOptionsJson = (body: JsonObject): string =>
  isObject(body.stream_options) ? JSON.stringify(streamOptions(body)) : '{"include_usage":true}'

const names = (text: string): ReadonlySet<string> => new Set(text.split(' '))

/**
 * The names that messages and tools may hold for a backend to read; all are weighed. Assistants' messages are sent back as they
 * were received, so that what backends add to them is known too: reasoning, and marks that they want to see again.
 */
const PLAIN: Known = {
  message: names(
    'role content name tool_calls tool_call_id function_call refusal annotations audio reasoning reasoning_content reasoning_details thinking_blocks extra_content provider_specific_fields',
  ),
  textPart: names('type text'),
  imagePart: names('type image_url'),
  tool: names('type function hosted name'),
  function: names('name description parameters strict hosted'),
}
const IMAGE = names('url detail')
/** OpenAI's newest models know it; for all others `high` is the most. */
const ORIGINAL = 'original'
const TOOL_CALL = names('id type function index extra_content provider_specific_fields')
const CALLED = names('name arguments')
/** Members of `functions`, the predecessor of `tools`. */
const OLD_FUNCTION = names('name description parameters')

/** The names for backends that also know cache marks, which keep a part of the prompt in a cache. */
const MARKED: Known = withMarks(PLAIN)

interface Known {
  readonly message: ReadonlySet<string>
  readonly textPart: ReadonlySet<string>
  readonly imagePart: ReadonlySet<string>
  readonly tool: ReadonlySet<string>
  readonly function: ReadonlySet<string>
}

function withMarks(known: Known): Known {
  const { message, textPart, imagePart, tool, function: called } = known
  const marked = (plain: ReadonlySet<string>) => new Set([...plain, 'cache_control'])
  return {
    ...{ message: marked(message), textPart: marked(textPart), imagePart: marked(imagePart) },
    ...{ tool: marked(tool), function: marked(called) },
  }
}

/** Whether messages and tools hold nothing else, in the form that every backend takes; `marks`: beside marks for a cache. */
export function isPlain(body: JsonObject, marks = false): boolean {
  const { messages, tools, functions } = body
  const known = marks ? MARKED : PLAIN
  return (
    every(messages, message => isPlainMessage(message, known)) &&
    (marks ? areMarkedTools : arePlainTools)(tools) &&
    every(functions, isPlainFunction) &&
    isSound(body)
  )
}

const arePlainTools = oncePerValue(tools => areTools(tools, PLAIN))
const areMarkedTools = oncePerValue(tools => areTools(tools, MARKED))

const areTools = (tools: unknown, known: Known): boolean =>
  every(tools, tool => has(tool, known.tool) && has(asObject(tool.function), known.function))

function isPlainMessage(message: JsonObject, known: Known): boolean {
  if (!has(message, known.message) || !isSoundMessage(message)) return false
  const { content, tool_calls, function_call } = message
  return (
    (typeof content === 'string' || (message.role === 'tool' ? Array.isArray(content) : true)) &&
    every(content, part => isPlainPart(part, known)) &&
    (tool_calls === undefined || every(tool_calls, isPlainCall)) &&
    (function_call === undefined || has(asObject(function_call), CALLED))
  )
}

function isPlainPart(part: JsonObject, known: Known): boolean {
  if (part.type !== 'image_url') return part.type === 'text' && has(part, known.textPart)
  const image = asObject(part.image_url)
  return has(part, known.imagePart) && has(image, IMAGE) && image.detail !== ORIGINAL
}

const isPlainCall = (call: JsonObject): boolean => has(call, TOOL_CALL) && has(asObject(call.function), CALLED)

const isPlainFunction = (each: JsonObject): boolean => has(each, OLD_FUNCTION)

function every(list: unknown, plain: (item: JsonObject) => boolean): boolean {
  if (!Array.isArray(list)) return true
  for (const item of list) if (!plain(asObject(item))) return false
  return true
}

function has(object: JsonObject, known: ReadonlySet<string>): boolean {
  for (const name in object) if (!known.has(name)) return false
  return true
}

/** A body with nothing else in its messages and tools: no links of parts that are no images. */
function plainly(body: JsonObject, known: Known): JsonObject {
  const { messages, tools, functions } = body
  return {
    ...body,
    ...(Array.isArray(messages) && { messages: messages.map(message => plainMessage(asObject(message), known)) }),
    ...(Array.isArray(tools) && { tools: plainTools(tools, known) }),
    ...(Array.isArray(functions) && { functions: functions.map(each => only(each, OLD_FUNCTION)) }),
  }
}

/** Returns the list itself if it holds nothing else, so that its facts stay known. */
function plainTools(tools: readonly unknown[], known: Known): readonly unknown[] {
  const arePlain = known === MARKED ? areMarkedTools(tools) : arePlainTools(tools)
  return arePlain ? tools : tools.map(tool => withFunction(only(tool, known.tool), known.function))
}

function plainMessage(message: JsonObject, known: Known): JsonObject {
  const { content, tool_calls, function_call } = message
  return {
    ...only(message, known.message),
    // A tool that said nothing.
    ...(message.role === 'tool' && (content ?? null) === null && { content: '' }),
    ...(Array.isArray(content) && { content: content.map(part => plainPart(asObject(part), known)) }),
    ...(Array.isArray(tool_calls) && {
      tool_calls: tool_calls.map(call => withFunction(only(call, TOOL_CALL), CALLED)),
    }),
    ...(isObject(function_call) && { function_call: only(function_call, CALLED) }),
  }
}

function plainPart(part: JsonObject, known: Known): JsonObject {
  if (part.type === 'text') return only(part, known.textPart)
  // Few backends know it as a part, and all of them texts.
  if (part.type === 'refusal') return { type: 'text', text: part.refusal }
  const image = only(part, known.imagePart)
  if (!isObject(image.image_url)) return image
  const { detail, ...rest } = only(image.image_url, IMAGE)
  return {
    ...image,
    image_url: { ...rest, ...(detail !== undefined && { detail: detail === ORIGINAL ? 'high' : detail }) },
  }
}

const withFunction = (object: JsonObject, known: ReadonlySet<string>): JsonObject =>
  isObject(object.function) ? { ...object, function: only(object.function, known) } : object

const only = (value: unknown, known: ReadonlySet<string>): JsonObject =>
  Object.fromEntries(Object.entries(asObject(value)).filter(([name]) => known.has(name)))
