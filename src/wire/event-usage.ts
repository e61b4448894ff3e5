import { asObject, isObject, type JsonObject } from './json-safety.ts'
import { DONE, parse } from './openai/chunk.ts'
import { deltaTokens, isCount, type LeastUsage, leastTokens, outputBytesOf, type Usage } from './openai/usage.ts'
import { UsageSoFar } from './openai/usage-so-far.ts'
import { readPassthroughUsage } from './passthrough.ts'
import { SseSplitter } from './sse.ts'

/**
 * Reads what a stream of events used while it passes as it is: the events of chat completions, of Responses and of
 * Messages, without knowing which of them it is. What it does not know it leaves out.
 */
export class EventUsage {
  readonly said = new SaidUsage()
  readonly #events = new PassingEvents()
  #isOver = false

  /** Whether the event came after which there are none. */
  get isOver(): boolean {
    return this.#isOver
  }

  push(bytes: Buffer): void {
    for (const data of this.#events.push(bytes)) this.#read(data)
  }

  #read(data: string): void {
    const event = data === DONE ? undefined : parse(data)
    if (data === DONE || (isObject(event) && LAST.has(event.type))) this.#isOver = true
    if (isObject(event)) this.said.read(event)
  }
}

/** Of Responses and of Messages. */
const LAST: ReadonlySet<unknown> = new Set([
  'response.completed',
  'response.incomplete',
  'response.failed',
  'message_stop',
])

/** What the events of one answer say that it used. */
export class SaidUsage extends UsageSoFar {
  /** Takes what is said in an event, and what it reports. */
  read(event: JsonObject): void {
    for (const [bytes, tokens] of saidIn(event)) {
      this.outputBytes += bytes
      this.tokens += tokens
    }
    const reported = reportedIn(event, this.reported)
    if (reported) this.report(reported)
  }
}

/** What a response of a session used: as its backend reported it, or at the least where it did not. */
export type ResponseUsage = { readonly usage: Usage } | { readonly least: LeastUsage }

/** Responses of a session that run at once and are counted apart. */
const MOST_RESPONSES = 64

/**
 * Reads what a session over WebSocket used, by the events of OpenAI's Realtime or Responses: each response of it reports its
 * own usage when it is done. Several may run at once.
 */
export class SessionUsage {
  /** Tokens of responses that have begun and are not done, by their ids; empty where a backend gives none. */
  readonly #said = new Map<string, number>()
  /** Of the response before: a session goes on with all that it had. */
  #inputTokens: number | undefined

  /** Reads a message of the backend. What the response used that is done with it. */
  read(text: string): ResponseUsage | undefined {
    const event = parse(text)
    if (!isObject(event)) return undefined
    if (DONE_TYPES.has(event.type)) return this.#done(asObject(event.response))
    for (const [, tokens] of saidIn(event)) this.#hear(idIn(event.response_id), tokens)
    return undefined
  }

  /** Tokens that were said in responses that are not done. */
  get tokens(): number {
    let sum = 0
    for (const tokens of this.#said.values()) sum += tokens
    return sum
  }

  /** What the responses that have begun used at the least; undefined where nothing of them was said. */
  get least(): LeastUsage | undefined {
    return this.#leastOf(this.tokens)
  }

  /** The same, which from here on is no part of what they use. */
  cut(): LeastUsage | undefined {
    const { least } = this
    this.#said.clear()
    return least
  }

  #hear(id: string, tokens: number): void {
    const known = this.#said.has(id) || this.#said.size < MOST_RESPONSES ? id : ''
    this.#said.set(known, (this.#said.get(known) ?? 0) + tokens)
  }

  #done(response: JsonObject): ResponseUsage | undefined {
    const usage = readPassthroughUsage(response)
    const id = idIn(response.id)
    const known = this.#said.has(id) ? id : ''
    const tokens = this.#said.get(known) ?? 0
    this.#said.delete(known)
    if (usage) {
      this.#inputTokens = usage.inputTokens
      return { usage }
    }
    const least = this.#leastOf(tokens)
    return least && { least }
  }

  #leastOf(tokens: number): LeastUsage | undefined {
    if (tokens === 0) return undefined
    const inputTokens = this.#inputTokens
    if (inputTokens === undefined) return { outputTokens: tokens }
    // The whole response may have found all of that in a cache.
    return { outputTokens: tokens, inputTokens, cachedTokens: inputTokens }
  }
}

const idIn = (id: unknown): string => (typeof id === 'string' ? id.slice(0, 128) : '')

const DONE_TYPES: ReadonlySet<unknown> = new Set([
  'response.done',
  'response.completed',
  'response.incomplete',
  'response.failed',
])

/** Bytes and least tokens of each piece of text that an event brings. */
function saidIn(event: JsonObject): (readonly [bytes: number, tokens: number])[] {
  const { type, delta, choices } = event
  if (Array.isArray(choices)) return choices.filter(isObject).map(ofChoice)
  if (typeof type !== 'string') return []
  if (type === 'content_block_delta' && isObject(delta))
    return [delta.text, delta.thinking, delta.partial_json].flatMap(ofText)
  if (!/^response\..*\.delta$/.test(type)) return []
  // Sound in base64: a token or more, and no text.
  return /audio\.delta$/.test(type) ? [[0, 1]] : ofText(delta)
}

/** Of chat completions, or of the older ones that have their text in it. */
function ofChoice({ delta, text }: JsonObject): readonly [number, number] {
  return ofText(text)[0] ?? [outputBytesOf(delta), deltaTokens(delta)]
}

const ofText = (text: unknown): (readonly [number, number])[] =>
  typeof text === 'string' && text !== '' ? [[Buffer.byteLength(text), leastTokens(text)]] : []

/** The usage that an event reports of all of the answer so far; Messages count input at the beginning alone. */
function reportedIn(event: JsonObject, before: Usage | undefined): Usage | undefined {
  const { response, message } = event
  const reported = [event, response, message].map(readPassthroughUsage).find(usage => usage !== undefined)
  if (reported) return reported
  const { output_tokens: outputTokens } = asObject(event.usage)
  return isCount(outputTokens) ? { inputTokens: 0, ...before, outputTokens } : undefined
}

/** So much is looked at in one go: no event that is too long can begin and end within it. */
const PIECE_BYTES = 65_536
const LF = 0x0a
const CR = 0x0d

/**
 * Splits the events of a stream that passes. An event that is too long, such as a picture, is left out, and those behind it
 * are read again: nothing kept it from passing.
 */
class PassingEvents {
  #splitter = new SseSplitter()
  #isSkipping = false
  #lineBytes = 0
  #last = 0

  push(bytes: Buffer): string[] {
    const events: string[] = []
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) this.#take(bytes.subarray(at, at + PIECE_BYTES), events)
    return events
  }

  #take(piece: Buffer, events: string[]): void {
    const rest = this.#isSkipping ? this.#skip(piece) : piece
    if (rest.length === 0) return
    events.push(...this.#splitter.push(rest))
    if (!this.#splitter.tooLong) return
    this.#isSkipping = true
    // It is the line that this piece goes on with, or ends.
    this.#lineBytes = 1
    this.#last = 0
    const behind = this.#skip(rest)
    if (behind.length > 0) this.#take(behind, events)
  }

  /** What follows the blank line that ends the event; nothing where that has not come. */
  #skip(piece: Buffer): Buffer {
    for (const [at, byte] of piece.entries()) {
      const isSecond = byte === LF && this.#last === CR
      this.#last = byte
      if (isSecond) continue
      if (byte !== LF && byte !== CR) this.#lineBytes++
      else if (this.#lineBytes > 0) this.#lineBytes = 0
      else {
        this.#splitter = new SseSplitter()
        this.#isSkipping = false
        return piece.subarray(at + 1)
      }
    }
    return piece.subarray(piece.length)
  }
}
