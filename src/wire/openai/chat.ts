import type { Accepts, DeclaredFields } from '../../policy/config.ts'
import { type Denied, invalid } from '../../policy/denial.ts'
import type { ChatAsk, OnlyNative } from '../../policy/facts.ts'
import type { Texts } from '../fast/outline.ts'
import { asObject, isObject, type JsonObject } from '../json-safety.ts'
import { type HostedChat, hostedChat } from '../tools/hosted-chat.ts'
import { type Entry, readTools, type ToolNames, toolsProblem } from '../tools/listed.ts'
import { type AnswerTerms, readCompletion, type WholeAnswer } from './answer.ts'
import { type OutlinedBody, outlineBody } from './body.ts'
import { chatSchema } from './chat.schema.ts'
import { backendChat, isPlain, type SortedChat, sentOf, writtenAnew } from './chat-body.ts'
import { extraBytes, type Fields, isInvalid, readFields, unsentOf } from './fields.ts'
import type { BodyTerms, StreamWanted, WireRequest } from './request.ts'
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
  const fields = readFields('chat', outline, declared)
  if (isInvalid(fields)) return invalid(fields.field, fields.problem)
  const denied = deniedBy(outline, validate, fetchingSchema)
  if (denied) return denied
  const cap = capOf(outline)
  if (cap === 'unequal') return invalid('max_completion_tokens', 'differs from max_tokens; send one of them')

  const entries = readTools(outline, names)
  return (
    toolsProblem(outline, entries) ?? new ChatRequest(parsed, fields, chatAsk(parsed, fields, entries, cap), entries)
  )
}

function chatAsk(parsed: OutlinedBody, fields: Fields, entries: readonly Entry[], cap: ChatAsk['cap']): ChatAsk {
  const { model, messages, n, stream, chat_template_kwargs } = parsed.outline
  const thinking = isObject(chat_template_kwargs) ? chat_template_kwargs.enable_thinking : undefined
  const hosted = entries.flatMap(entry => entry.hosted?.name ?? [])
  const { images, textBytes } = new PromptSize(parsed)
  const onlyNative = onlyChatSays(parsed.outline)
  return {
    kind: 'chat',
    ...(typeof model === 'string' && { model }),
    stream: stream === true,
    messages: Array.isArray(messages) ? messages.length : 0,
    images,
    textBytes: fields.extras ? textBytes + extraBytes(fields) : textBytes,
    tools: entries.length,
    ...(hosted.length > 0 && { hosted }),
    ...(cap && { cap }),
    choices: typeof n === 'number' ? n : 1,
    ...(typeof thinking === 'boolean' && { thinking }),
    ...(fields.extras && { extras: fields.extras }),
    ...(onlyNative && { onlyNative }),
  }
}

/** What no other dialect has a form for, so that it goes to pools that speak chat alone. */
function onlyChatSays({ n, functions }: JsonObject): OnlyNative | undefined {
  if (typeof n === 'number' && n > 1) return { field: 'n', problem: 'must be 1: the pools of this model answer once' }
  return Array.isArray(functions) && functions.length > 0 ? { field: 'functions', problem: AS_TOOLS } : undefined
}

const AS_TOOLS = 'is not known to the pools of this model; send tools'

class ChatRequest implements WireRequest {
  readonly request: ChatAsk
  readonly stream?: StreamWanted
  readonly hosted?: HostedChat
  readonly #parsed: OutlinedBody
  readonly #fields: Fields
  readonly #isPlain: boolean

  constructor(parsed: OutlinedBody, fields: Fields, request: ChatAsk, entries: readonly Entry[]) {
    const { outline, texts } = parsed
    this.request = request
    this.#parsed = parsed
    this.#fields = fields
    this.#isPlain = isPlain(outline)
    if (request.stream) {
      const { include_usage: usageWanted } = asObject(outline.stream_options)
      this.stream = { usageWanted: usageWanted === true, choices: request.choices }
    }
    if (request.hosted)
      this.hosted = hostedChat(texts.whole(), entries, (sent, model, output, accepts) =>
        writtenAnew(sentOf(sent, this.#unsent({ accepts })), request, model, output),
      )
  }

  routedText(): string {
    const { outline, texts } = this.#parsed
    return routedText(outline.messages, texts)
  }

  bodyFor(backendModel: string, output: number, terms: BodyTerms = {}): Buffer {
    const chat = { request: this.request, ...this.#unsent(terms) }
    return backendChat(this.#parsed, chat, backendModel, output)
  }

  #unsent({ accepts }: { readonly accepts?: Accepts | undefined }): Omit<SortedChat, 'request'> {
    return { isPlain: this.#isPlain, unsent: unsentOf(this.#fields, accepts) }
  }

  readAnswer(bytes: Buffer, terms: AnswerTerms): WholeAnswer | undefined {
    return readCompletion(bytes, terms)
  }
}

function capOf({ max_tokens: older, max_completion_tokens: newer }: JsonObject): ChatAsk['cap'] | 'unequal' {
  if (typeof newer !== 'number') return typeof older === 'number' ? { field: 'max_tokens', tokens: older } : undefined
  if (typeof older === 'number' && older !== newer) return 'unequal'
  return { field: 'max_completion_tokens', tokens: newer }
}

/** What routes look at, however long a message is: the beginning of what the user said last. */
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

/** What a chat weighs before a tokenizer has seen it. */
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
    }
  }

  /** Templates print these as JSON, so their punctuation counts too. */
  #addPrinted(value: unknown): void {
    if (value !== undefined && value !== null) this.textBytes += Buffer.byteLength(JSON.stringify(value))
  }
}

/** A scheme or a host: what stands elsewhere. `#/$defs/x` is in the schema itself. */
const ELSEWHERE = /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i

const REFERENCES: ReadonlySet<string> = new Set(['$ref', '$dynamicRef', '$recursiveRef'])
const DOLLAR = 0x24

/** A schema of a tool or an answer of which a backend would have to fetch a part, for any client. */
function fetchingSchema({ tools, functions, response_format }: JsonObject): Invalid | undefined {
  const field =
    (fetches(tools) && 'tools') ||
    (fetches(functions) && 'functions') ||
    (fetches(response_format) && 'response_format')
  return field ? { field, problem: ELSEWHERE_PROBLEM } : undefined
}

const ELSEWHERE_PROBLEM = 'must not refer to a schema that stands elsewhere; nothing is fetched'

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

/** To ask an object for each of the three by name takes four times as long where every object has a form of its own. */
const isReference = (name: string): boolean => name.charCodeAt(0) === DOLLAR && REFERENCES.has(name)
