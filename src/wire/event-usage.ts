import { parse } from './json-bytes.ts'
import { asObject, isObject, type JsonObject } from './json-safety.ts'
import { DONE } from './openai/chunk.ts'
import { readPassthroughUsage } from './passthrough.ts'
import { SseSplitter } from './sse.ts'
import { UsageSoFar } from './usage/so-far.ts'
import { deltaTokens, isCount, leastTokens, outputBytesOf, type Usage } from './usage/usage.ts'

/**
 * Reads the usage of a stream of events that passes unchanged. It recognizes the events of chat completions, Responses and
 * Messages without being told which, and ignores all others.
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

/** The last events of Responses and of Messages. */
const LAST: ReadonlySet<unknown> = new Set([
  'response.completed',
  'response.incomplete',
  'response.failed',
  'message_stop',
])

/** The usage of an answer by its events. */
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

/** Bytes and least tokens of each piece of text that an event brings. */
export function saidIn(event: JsonObject): (readonly [bytes: number, tokens: number])[] {
  const { type, delta, choices } = event
  if (Array.isArray(choices)) return choices.filter(isObject).map(ofChoice)
  if (typeof type !== 'string') return []
  if (type === 'content_block_delta' && isObject(delta))
    return [delta.text, delta.thinking, delta.partial_json].flatMap(ofText)
  if (!DELTAS.test(type)) return []
  // Sound in base64, which is no text.
  return /audio\.delta$/.test(type) ? [[0, soundTokens(delta)]] : ofText(delta)
}

/** Bytes of a second of sound: 24,000 samples of 16 bits. Other forms have fewer, and are counted from below. */
const SOUND_BYTES = 48_000
/** A spoken answer counts a token for each twentieth of a second. */
const SOUND_TOKENS = 20

const soundTokens = (base64: unknown): number =>
  Math.max(1, Math.floor(((typeof base64 === 'string' ? base64.length * 0.75 : 0) * SOUND_TOKENS) / SOUND_BYTES))

/** Deltas of Responses and Realtime; and of Realtime's translations, which have no responses. */
const DELTAS = /^(?:response|session)\..*\.delta$/

/** Bytes and tokens of a choice of chat completions, or of the older completions that have their text in it. */
function ofChoice({ delta, text }: JsonObject): readonly [number, number] {
  return ofText(text)[0] ?? [outputBytesOf(delta), deltaTokens(delta)]
}

const ofText = (text: unknown): (readonly [number, number])[] =>
  typeof text === 'string' && text !== '' ? [[Buffer.byteLength(text), leastTokens(text)]] : []

/** The usage that an event reports of all of the answer so far; Messages count input at the beginning alone. */
function reportedIn(event: JsonObject, before: Usage | undefined): Usage | undefined {
  const { response, message } = event
  const reported = [event, response].map(readPassthroughUsage).find(usage => usage !== undefined)
  if (reported) return reported
  const begun = readPassthroughUsage(message)
  // Nothing was said yet, whatever it counts of the output.
  if (begun) return { ...begun, outputTokens: 0 }
  const { output_tokens: outputTokens } = asObject(event.usage)
  return isCount(outputTokens) ? { inputTokens: 0, ...before, outputTokens } : undefined
}

/** So much is looked at in one go: no event that is too long can begin and end within it. */
const PIECE_BYTES = 65_536
/** An event that reports usage is shorter. Longer events are not buffered. */
const MOST_READ_BYTES = 1_048_576
const LF = 0x0a
const CR = 0x0d

/**
 * Splits the events of a stream that passes. An event that is too long, such as a picture, is left out, and those behind it
 * are read again: nothing kept it from passing.
 */
class PassingEvents {
  #splitter = new SseSplitter(MOST_READ_BYTES)
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

  /** The bytes after the blank line that ends the event; none where it has not come. */
  #skip(piece: Buffer): Buffer {
    for (const [at, byte] of piece.entries()) {
      const isSecond = byte === LF && this.#last === CR
      this.#last = byte
      if (isSecond) continue
      if (byte !== LF && byte !== CR) this.#lineBytes++
      else if (this.#lineBytes > 0) this.#lineBytes = 0
      else {
        this.#splitter = new SseSplitter(MOST_READ_BYTES)
        this.#isSkipping = false
        return piece.subarray(at + 1)
      }
    }
    return piece.subarray(piece.length)
  }
}
