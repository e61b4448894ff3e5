import { asObject, isObject, type JsonObject } from '../json-safety.ts'
import type { NativeDialect, NativeEvent, NativeReader } from '../native/dialect.ts'
import { OpenParts } from '../native/open-parts.ts'
import { isSealed, unseal } from '../reasoning/sealed-reasoning.ts'
import { readUsage } from '../usage/reported-usage.ts'
import { leastTokens, type Usage } from '../usage/usage.ts'
import { failureEvent, messageEvent } from './event.ts'
import { messageOfStream } from './from-stream.ts'
import { withIterations } from './iterations.ts'
import { laterCounts } from './later-counts.ts'

/** Answers of Messages that pass through as their backend sends them. */
export const messagesNative: NativeDialect = {
  capField: 'max_tokens',
  replaced: ({ messages }) => (holdsSealed(messages) ? { messages: messages.flatMap(withoutSealed) } : {}),
  reader: () => new MessagesReader(),
  answer: body => {
    if (body.type !== 'message' || !Array.isArray(body.content)) return undefined
    const usage = readUsage(withIterations(asObject(body.usage)))
    const outputBytes = body.content.reduce((bytes: number, block) => bytes + bytesOf(asObject(block)), 0)
    return usage ? { usage, outputBytes } : { outputBytes }
  },
  wholeOf: messageOfStream,
  closing: messageEvent('message_stop'),
}

const NOTHING: NativeEvent = { outputBytes: 0, tokens: 0, isFinished: false, isLast: false }

const holdsSealed = (messages: unknown): messages is readonly unknown[] =>
  Array.isArray(messages) && messages.some(message => blocksOf(message).some(isOurs))

const blocksOf = (message: unknown): readonly unknown[] => {
  const { content } = asObject(message)
  return Array.isArray(content) ? content : []
}

/** Thinking of an answer that was translated. */
const isOurs = (block: unknown): boolean => isObject(block) && THINKING.has(block.type) && isSealed(sealIn(block))

const THINKING: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking'])
const sealIn = ({ type, signature, data }: JsonObject): unknown => (type === 'thinking' ? signature : data)

/** The signature that a Messages backend put on a block, if one did. */
const signedIn = (block: unknown): readonly unknown[] =>
  unseal(sealIn(asObject(block)))?.signed.filter(({ type }) => type !== 'reasoning') ?? []

/** No message may be empty. */
function withoutSealed(message: unknown): readonly unknown[] {
  if (!isObject(message) || !blocksOf(message).some(isOurs)) return [message]
  const content = blocksOf(message).flatMap(block => (isOurs(block) ? signedIn(block) : [block]))
  return content.length > 0 ? [{ ...message, content }] : []
}

/** Counts stand in the first event and again, as far as they grew, in the last ones. */
class MessagesReader implements NativeReader {
  readonly fail = failureEvent
  readonly #blocks = new OpenParts()
  #counts: JsonObject = {}
  /** Whether any were reported since the first event. */
  #isCounted = false
  /** The block that is open. */
  #open: unknown

  cut({ outputTokens }: Usage): { readonly events: string; readonly last: string } {
    const stop =
      this.#open === undefined ? '' : messageEvent('content_block_stop', `"index":${JSON.stringify(this.#open)}`)
    const delta = messageEvent(
      'message_delta',
      `"delta":{"stop_reason":"max_tokens","stop_sequence":null},"usage":{"output_tokens":${outputTokens}}`,
    )
    return { events: stop + delta, last: messageEvent('message_stop') }
  }

  get isOrderly(): boolean {
    return this.#blocks.isOrderly
  }

  read(event: JsonObject): NativeEvent {
    switch (event.type) {
      case 'message_start': {
        this.#counts = asObject(asObject(event.message).usage)
        // A stream that is cut pays the prompt as it was counted here. Nothing was said yet.
        const usage = readUsage({ ...this.#counts, output_tokens: 0 })
        return usage ? { ...NOTHING, usage } : NOTHING
      }
      case 'content_block_start': {
        const { type, name } = asObject(event.content_block)
        this.#open = event.index
        this.#blocks.begin(event.index)
        if (typeof type !== 'string' || !/tool_use$/.test(type)) return NOTHING
        const begun = type === 'tool_use' && typeof name === 'string' ? said(name) : NOTHING
        return { ...begun, hasCall: true }
      }
      case 'content_block_stop':
        this.#open = undefined
        this.#blocks.end(event.index)
        return NOTHING
      case 'content_block_delta': {
        this.#blocks.goOn(event.index)
        const { text, thinking, partial_json: json } = asObject(event.delta)
        return said([text, thinking, json].filter(each => typeof each === 'string').join(''))
      }
      case 'message_delta': {
        this.#counts = laterCounts(this.#counts, withIterations(asObject(event.usage)), !this.#isCounted)
        this.#isCounted = true
        const usage = readUsage(this.#counts)
        const isFinished = typeof asObject(event.delta).stop_reason === 'string'
        return usage ? { ...NOTHING, usage, isFinished } : { ...NOTHING, isFinished }
      }
      case 'message_stop':
        return { ...NOTHING, isFinished: true, isLast: true }
      case 'error':
        return { ...NOTHING, error: event.error ?? event }
      default:
        return NOTHING
    }
  }
}

const said = (text: string): NativeEvent =>
  text === '' ? NOTHING : { ...NOTHING, outputBytes: Buffer.byteLength(text), tokens: leastTokens(text) }

/** Bytes of what the model said in a block. */
function bytesOf({ type, text, thinking, name, input }: JsonObject): number {
  if (type === 'tool_use')
    return Buffer.byteLength(typeof name === 'string' ? name : '') + Buffer.byteLength(JSON.stringify(input ?? {}))
  return Buffer.byteLength([text, thinking].filter(each => typeof each === 'string').join(''))
}
