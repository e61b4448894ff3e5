import type { PromptSketch } from '../../policy/balance/prompt-sketch.ts'
import type { Accepts, DeclaredFields } from '../../policy/config.ts'
import { type Denied, invalid } from '../../policy/denial.ts'
import type { ChatAsk, OnlyNative } from '../../policy/facts.ts'
import { DROPPABLE } from '../../policy/providers/droppable.ts'
import type { PoolFacts } from '../../policy/providers/profile.ts'
import type { WholeAnswer } from '../answer-reader.ts'
import { cacheTimeOfChat } from '../cache-marks.ts'
import { lossesOfChat } from '../chat-losses.ts'
import { endUserOf } from '../end-user.ts'
import { Fact, isKnown, oncePerValue } from '../fast/known-value.ts'
import type { Texts } from '../fast/outline.ts'
import { asObject, isObject, type JsonObject } from '../json-safety.ts'
import { sketchOf } from '../prompt-sampler.ts'
import { type SessionNames, sessionNamesIn } from '../session-of.ts'
import type { Steps } from '../steps.ts'
import { type Entry, readTools, type ToolNames, toolsProblem } from '../tools/listed.ts'
import { type AnswerTerms, readCompletion, readLargeCompletion } from './answer.ts'
import { type OutlinedBody, outlineBody, outlineOf } from './body.ts'
import { chatSchema } from './chat.schema.ts'
import { backendChat, droppedIn, isPlain, type SortedChat, sentOf, writtenAnew } from './chat-body.ts'
import { hasCustomTools, withoutCustomTools } from './custom-tools.ts'
import { CustomToolWriter } from './custom-writer.ts'
import { extraBytes, type Fields, isInvalid, readFields, unsentOf } from './fields.ts'
import { type HostedChat, hostedChat } from './hosted-chat.ts'
import { hasOddNames, RenamingWriter, withoutOddNames } from './renamed-tools.ts'
import { addedByRepair } from './repairs.ts'
import type { BodyTerms, Spoken, StreamWanted, WireRequest } from './request.ts'
import { deniedBy, type Invalid, validator } from './validate.ts'

const validate = validator(chatSchema)

const NO_HOSTED: ToolNames = { brand: '', declared: new Map() }

/** Reads the body of POST /v1/chat/completions. */
export function readChat(bytes: Buffer, names = NO_HOSTED, declared?: DeclaredFields): WireRequest | Denied {
  const parsed = outlineBody(bytes)
  return 'denial' in parsed ? parsed : checkChat(parsed, names, declared)
}

/** Checks a body that is parsed already: to check one takes as long as to parse it. */
export function checkChat(parsed: OutlinedBody, names = NO_HOSTED, declared?: DeclaredFields): WireRequest | Denied {
  const { outline } = parsed
  const read = readFields('chat', outline, declared)
  if (isInvalid(read)) return invalid(read.field, read.problem)
  const fields = outline.store === true ? { ...read, mute: [...read.mute, 'store'] } : read
  const body = withoutNoCap(outline)
  const denied = deniedBy(body, validateNew, fetchingSchema, twoThoughts)
  if (denied) return denied
  keepValid(body)
  const cap = capOf(body)
  if (cap === 'unequal') return invalid('max_completion_tokens', 'differs from max_tokens; send one of them')
  const [isCustom, isOdd] = [hasCustomTools(outline), hasOddNames(outline)]
  if (!isCustom && !isOdd) return readChecked({ parsed, fields, cap }, names)
  const written = parsed.texts.whole()
  const { chat, custom } = isCustom ? withoutCustomTools(written) : { chat: written }
  const writer = custom && (() => new CustomToolWriter(custom))
  if (!isOdd) return readChecked({ parsed: outlineOf(chat), fields, cap, ...(writer && { spoken: { writer } }) }, names)
  const renamed = withoutOddNames(chat)
  const spoken = { writer: () => new RenamingWriter(renamed.names, writer?.()) }
  return readChecked({ parsed: outlineOf(renamed.chat), fields, cap, spoken }, names)
}

/** Members whose values are known mostly, and whether one has been valid as this member. */
const SCHEMAS = [
  ['tools', new Fact<true>()],
  ['functions', new Fact<true>()],
  ['response_format', new Fact<true>()],
] as const

/** Validates a chat but for its values that were valid before: no rule is about several members. */
function validateNew(body: JsonObject): Invalid | undefined {
  let rest = body
  for (const [name, valid] of SCHEMAS) if (valid.of(body[name])) rest = { ...rest, [name]: undefined }
  return validate(rest)
}

function keepValid(body: JsonObject): void {
  for (const [name, valid] of SCHEMAS) if (isKnown(body[name])) valid.keep(body[name], true)
}

/** A valid chat. */
interface Checked {
  readonly parsed: OutlinedBody
  readonly fields: Fields
  readonly cap: ChatAsk['cap']
  /** Set where its answers are not passed on as they come. */
  readonly spoken?: Spoken
}

function readChecked(checked: Checked, names: ToolNames): WireRequest | Denied {
  const { outline } = checked.parsed
  const entries = readTools(outline, names)
  return toolsProblem(outline, entries) ?? new ChatRequest(checked, entries)
}

/** `isMarked`: whether anything in it may be a mark for a cache. */
function chatAsk({ parsed, fields, cap }: Checked, entries: readonly Entry[], isMarked: boolean): ChatAsk {
  const { model, messages, n, stream, chat_template_kwargs } = parsed.outline
  const { enable_thinking, thinking = enable_thinking } = asObject(chat_template_kwargs)
  const hosted = entries.flatMap(entry => entry.hosted?.name ?? [])
  const { images, textBytes: written } = new PromptSize(parsed)
  const added = addedByRepair(messages)
  const textBytes = written + added.textBytes
  const onlyNative = onlyChatSays(parsed.outline)
  const lostFields = lossesOfChat(parsed.outline)
  const cacheTime = isMarked ? cacheTimeOfChat(parsed.outline) : undefined
  const user = userOf(parsed)
  const optional = optionalIn(parsed.outline)
  return {
    kind: 'chat',
    ...(typeof model === 'string' && { model }),
    stream: stream === true,
    messages: Array.isArray(messages) ? messages.length + added.messages : 0,
    images,
    textBytes: fields.extras ? textBytes + extraBytes(fields) : textBytes,
    ...(user !== undefined && { user }),
    tools: entries.length,
    ...(hosted.length > 0 && { hosted }),
    ...(cap && { cap }),
    choices: typeof n === 'number' ? n : 1,
    ...(optional && { optional }),
    ...(Array.isArray(messages) && messages.some(isOfDeveloper) && { developer: true }),
    ...(typeof thinking === 'boolean' && { thinking }),
    ...(fields.extras && { extras: fields.extras }),
    ...(lostFields && { lostFields }),
    ...(cacheTime && { cacheTime }),
    ...(onlyNative && { onlyNative }),
  }
}

/** The end user, by the newer name of the field or the older one. */
function userOf({ outline, texts }: OutlinedBody): string | undefined {
  const { user, safety_identifier } = outline
  const nameOf = (value: unknown) => (typeof value === 'string' ? texts.read(value) : undefined)
  return endUserOf(nameOf(safety_identifier), nameOf(user))
}

/** The fields that backends may do without; undefined where there are none. */
function optionalIn(body: JsonObject): readonly string[] | undefined {
  let optional: string[] | undefined
  for (const field in body) {
    if (!DROPPABLE.has(field) || body[field] === null) continue
    optional ??= []
    optional.push(field)
  }
  return optional
}

const isOfDeveloper = (message: unknown): boolean => asObject(message).role === 'developer'

/** The field that no other dialect has a form for, so that the request goes only to pools that speak chat. */
function onlyChatSays({ n, functions, messages }: JsonObject): OnlyNative | undefined {
  if (typeof n === 'number' && n > 1)
    return { field: 'n', problem: 'must be 1: the pools of this model return one choice' }
  if (Array.isArray(functions) && functions.length > 0) return { field: 'functions', problem: AS_TOOLS }
  const place = Array.isArray(messages) ? messages.findIndex(callsFunction) : -1
  return place === -1 ? undefined : { field: `messages[${place}]`, problem: AS_TOOLS }
}

/** Calls and results that came before tools did. */
const callsFunction = (message: unknown): boolean => {
  const { role, function_call } = asObject(message)
  return role === 'function' || isObject(function_call)
}

const AS_TOOLS = 'is not supported by the pools of this model; send tools'

/** Decides which fields are sent. */
interface Sending {
  readonly accepts?: Accepts | undefined
  readonly facts?: PoolFacts | undefined
  readonly marks?: boolean | undefined
}

class ChatRequest implements WireRequest {
  readonly request: ChatAsk
  readonly stream?: StreamWanted
  readonly isProse?: true
  readonly hosted?: HostedChat
  readonly spoken?: Spoken
  readonly session?: SessionNames
  readonly #parsed: OutlinedBody
  readonly #fields: Fields
  readonly #isPlain: boolean
  /** Whether it is for backends that know marks for a cache. */
  readonly #isPlainMarked: boolean
  #sketch: PromptSketch | undefined

  constructor(checked: Checked, entries: readonly Entry[]) {
    const { parsed, fields, spoken } = checked
    const { outline, texts } = parsed
    this.#isPlain = isPlain(outline)
    this.#isPlainMarked = this.#isPlain || isPlain(outline, true)
    const request = chatAsk(checked, entries, !this.#isPlain)
    this.request = request
    if (spoken) this.spoken = spoken
    const session = sessionNamesIn(outline)
    if (session) this.session = session
    this.#parsed = parsed
    this.#fields = fields
    if (request.stream) {
      const { include_usage: usageWanted } = asObject(outline.stream_options)
      this.stream = {
        usageWanted: usageWanted === true,
        choices: request.choices,
      }
    }
    if (isProse(outline, request)) this.isProse = true
    if (request.hosted)
      this.hosted = hostedChat(texts.whole(), entries, (sent, terms) =>
        writtenAnew(sentOf(sent, this.#sorted(terms)), request, terms),
      )
  }

  routedText(): string {
    const { outline, texts } = this.#parsed
    return routedText(outline.messages, texts)
  }

  sketch(later?: readonly JsonObject[]): PromptSketch {
    const { outline, texts } = this.#parsed
    if (later && later.length > 0) return sketchOf({ chat: outline, texts }, later)
    this.#sketch ??= sketchOf({ chat: outline, texts })
    return this.#sketch
  }

  bodyFor(backendModel: string, output: number, terms: BodyTerms = {}): Buffer {
    const chat = { request: this.request, ...this.#sorted(terms) }
    return backendChat(this.#parsed, chat, { model: backendModel, output, ...terms })
  }

  #sorted({ accepts, facts, marks }: Sending): Omit<SortedChat, 'request'> {
    const unsent = unsentOf(this.#fields, accepts)
    const dropped = droppedIn(this.#parsed.outline, this.request, facts)
    const isPlain = marks ? this.#isPlainMarked : this.#isPlain
    return { isPlain, marks, unsent: dropped.length > 0 ? [...unsent, ...dropped] : unsent }
  }

  readAnswer(bytes: Buffer, terms: AnswerTerms): WholeAnswer | undefined {
    return readCompletion(bytes, terms)
  }

  readInSteps(bytes: Buffer, terms: AnswerTerms): Steps<WholeAnswer | undefined> {
    return readLargeCompletion(bytes, terms)
  }
}

/** Whether a model that loses a piece of its answer loses no more than that piece. */
function isProse({ functions, response_format: format }: JsonObject, { tools, extras = {} }: ChatAsk): boolean {
  if (tools > 0 || (Array.isArray(functions) && functions.length > 0)) return false
  if (isObject(format) && format.type !== 'text') return false
  return !Object.keys(extras).some(field => SHAPES_ANSWERS.test(field))
}

/** Fields by which engines take the form of an answer: guided_json, structured_outputs, grammar, json_schema, … */
const SHAPES_ANSWERS = /guided|structured|format|grammar|schema|json|regex/i

/** A body without a cap of -1, by which clients of LM Studio say that there is none. */
function withoutNoCap(body: JsonObject): JsonObject {
  const { max_tokens, max_completion_tokens, ...rest } = body
  if (max_tokens !== NO_CAP && max_completion_tokens !== NO_CAP) return body
  return {
    ...rest,
    ...(max_tokens !== NO_CAP && { max_tokens }),
    ...(max_completion_tokens !== NO_CAP && { max_completion_tokens }),
  }
}

const NO_CAP = -1

/** Templates of models know one name or the other; both may be sent where they say the same. */
function twoThoughts({ chat_template_kwargs }: JsonObject): Invalid | undefined {
  const { enable_thinking, thinking = enable_thinking } = asObject(chat_template_kwargs)
  if (enable_thinking === undefined || thinking === enable_thinking) return undefined
  return { field: 'chat_template_kwargs.thinking', problem: 'differs from enable_thinking; send one of them' }
}

function capOf({ max_tokens: older, max_completion_tokens: newer }: JsonObject): ChatAsk['cap'] | 'unequal' {
  if (typeof newer !== 'number') return typeof older === 'number' ? { field: 'max_tokens', tokens: older } : undefined
  if (typeof older === 'number' && older !== newer) return 'unequal'
  return { field: 'max_completion_tokens', tokens: newer }
}

/** Routes look at this many characters of the user's last message, however long it is. */
const ROUTED_CHARS = 4096

function routedText(messages: unknown, texts: Texts): string {
  const last = Array.isArray(messages)
    ? messages.findLast(message => isObject(message) && message.role === 'user')
    : undefined
  const { content } = asObject(last)
  if (typeof content === 'string') return texts.read(content).slice(0, ROUTED_CHARS)
  let text = ''
  for (const part of Array.isArray(content) ? content : []) {
    if (isObject(part) && typeof part.text === 'string') text += `${texts.read(part.text).slice(0, ROUTED_CHARS)}\n`
    if (text.length >= ROUTED_CHARS) break
  }
  return text.slice(0, ROUTED_CHARS)
}

/** The size of a chat's prompt, before a tokenizer has seen it. */
class PromptSize {
  /** UTF-8 bytes of what may enter the prompt. */
  textBytes = 0
  images = 0
  readonly #texts: Texts

  /** Image data is not text. */
  constructor({ outline, texts }: Pick<OutlinedBody, 'outline' | 'texts'>) {
    this.#texts = texts
    this.#add(outline.messages)
    this.#addPrinted(outline.tools)
    this.#addPrinted(outline.functions)
    this.#addPrinted(outline.response_format)
  }

  #add(value: unknown): void {
    if (typeof value === 'string') this.textBytes += this.#texts.sizeOf(value)
    else if (Array.isArray(value)) for (const item of value) this.#add(item)
    else if (isObject(value)) this.#addMembers(value)
  }

  #addMembers(object: JsonObject): void {
    for (const name in object) {
      const value = object[name]
      if (name === 'image_url' && isObject(value)) this.images++
      else this.#add(value)
      // They are sent as a text, with names and all.
      if (name === 'arguments' && typeof value !== 'string') this.#addPrinted(value)
    }
  }

  /** Templates print these as JSON, so their punctuation counts too. */
  #addPrinted(value: unknown): void {
    if (value !== undefined && value !== null) this.textBytes += printedBytes(value)
  }
}

const printedBytes = oncePerValue(value => Buffer.byteLength(JSON.stringify(value)))

/** A scheme or a host: what stands elsewhere. `#/$defs/x` is in the schema itself. */
const ELSEWHERE = /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i

const REFERENCES: ReadonlySet<string> = new Set(['$ref', '$dynamicRef', '$recursiveRef'])
const DOLLAR = 0x24

/** A schema of a tool or an answer of which a backend would have to fetch a part, for any client. */
function fetchingSchema({ tools, functions, response_format }: JsonObject): Invalid | undefined {
  const field =
    (isFetching(tools) && 'tools') ||
    (isFetching(functions) && 'functions') ||
    (isFetching(response_format) && 'response_format')
  return field ? { field, problem: ELSEWHERE_PROBLEM } : undefined
}

const ELSEWHERE_PROBLEM = 'must not refer to an external schema; nothing is fetched'

const isFetching = oncePerValue(fetches)

function fetches(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(fetches)
  if (!isObject(value)) return false
  for (const name in value) {
    const member = value[name]
    if (typeof member === 'string' && isReference(name) && ELSEWHERE.test(member)) return true
    if (typeof member === 'object' && fetches(member)) return true
  }
  return false
}

/** Looking up each of the three names on an object takes four times as long when every object has a different shape. */
const isReference = (name: string): boolean => name.charCodeAt(0) === DOLLAR && REFERENCES.has(name)
