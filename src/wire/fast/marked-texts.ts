import { asObject, isObject, type JsonObject } from '../json-safety.ts'
import { knownJsonBytes } from './known-json.ts'
import { isKnown } from './known-value.ts'
import type { Outline, Texts, TextVisitor } from './outline.ts'

/**
 * The long texts of a body in Responses or Messages, which the parsed outline omits. The outline has marks in their place: U+0000,
 * a number, U+0000. A text that was joined from several has several marks.
 */
export class MarkedTexts {
  readonly #bytes: Buffer
  readonly #elided: Outline['elided']

  /** `bytes` are valid JSON in UTF-8, without U+0000 if any text was omitted. */
  constructor(bytes: Buffer, elided: Outline['elided']) {
    this.#bytes = bytes
    this.#elided = elided
  }

  /** A text with its marks resolved. */
  read(text: string): string {
    if (!this.#has(text)) return text
    let read = ''
    let copied = 0
    for (let mark = markIn(text, 0); mark; mark = markIn(text, copied)) {
      read += text.slice(copied, mark.start) + this.#text(mark.number)
      copied = mark.end
    }
    return read + text.slice(copied)
  }

  /** Whether a text begins with `beginning`, which has no character that JSON escapes. */
  startsWith(text: string, beginning: string): boolean {
    const mark = this.#has(text) ? markIn(text, 0) : undefined
    if (mark?.start !== 0) return text.startsWith(beginning)
    const from = (this.#elided[3 * mark.number] ?? 0) + 1
    return this.#bytes.toString('latin1', from, from + beginning.length) === beginning
  }

  /** The UTF-8 bytes of a text. */
  sizeOf(text: string): number {
    if (!this.#has(text)) return Buffer.byteLength(text)
    let size = Buffer.byteLength(text)
    for (let mark = markIn(text, 0); mark; mark = markIn(text, mark.end)) {
      size += (this.#elided[3 * mark.number + 2] ?? 0) - (mark.end - mark.start)
    }
    return size
  }

  /** Passes the pieces of a text to a visitor, in order. */
  visit(text: string, visitor: TextVisitor): void {
    let shown = 0
    for (let mark = this.#has(text) ? markIn(text, 0) : undefined; mark; mark = markIn(text, shown)) {
      if (mark.start > shown) visitor.text(text.slice(shown, mark.start))
      const { from, size } = this.#placeOf(mark)
      visitor.bytes(this.#bytes, from, from + size)
      shown = mark.end
    }
    if (shown < text.length) visitor.text(shown === 0 ? text : text.slice(shown))
  }

  /** A value with all marks resolved. */
  whole(value: unknown): unknown {
    // A known value has no marks.
    if (this.#elided.length === 0 || isKnown(value)) return value
    if (typeof value === 'string') return this.read(value)
    if (Array.isArray(value)) return value.map(each => this.whole(each))
    if (!isObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, this.whole(each)]))
  }

  /** The JSON of a value with marks: omitted texts are copied as the client wrote them. */
  json(value: unknown): Buffer {
    const bytesOf = (json: string) => this.#written(json)
    return isObject(value) ? knownJsonBytes(value, bytesOf) : bytesOf(JSON.stringify(value))
  }

  /** JSON with the client's bytes in place of marks. */
  #written(json: string): Buffer {
    if (this.#elided.length === 0) return Buffer.from(json)
    const marks: Mark[] = []
    let length = Buffer.byteLength(json)
    for (let mark = writtenMarkIn(json, 0); mark; mark = writtenMarkIn(json, mark.end)) {
      marks.push(mark)
      length += this.#placeOf(mark).size - (mark.end - mark.start)
    }
    const result = Buffer.allocUnsafe(length)
    let copied = 0
    let at = 0
    for (const mark of marks) {
      at += result.write(json.slice(copied, mark.start), at)
      const { from, size } = this.#placeOf(mark)
      at += this.#bytes.copy(result, at, from, from + size)
      copied = mark.end
    }
    result.write(json.slice(copied), at)
    return result
  }

  /** The texts of a chat that was translated from the body. */
  ofChat(chat: JsonObject): Texts {
    return {
      read: text => this.read(text),
      sizeOf: text => this.sizeOf(text),
      visit: (text, visitor) => this.visit(text, visitor),
      whole: () => asObject(this.whole(chat)),
      json: value => this.json(value),
    }
  }

  #has(text: string): boolean {
    return this.#elided.length > 0 && text.includes('\0')
  }

  #text(number: number): string {
    const [from, to] = [this.#elided[3 * number], this.#elided[3 * number + 1]]
    return String(JSON.parse(this.#bytes.toString('utf8', from, to)))
  }

  /** A text's position in the body, without its quotes. */
  #placeOf({ number }: Mark): { readonly from: number; readonly size: number } {
    const [from = 0, to = 2] = [this.#elided[3 * number], this.#elided[3 * number + 1]]
    return { from: from + 1, size: to - from - 2 }
  }
}

/** For a body that was parsed in full. */
export const wholeTexts = new MarkedTexts(Buffer.alloc(0), new Int32Array())

/** A mark's position, and its text. */
interface Mark {
  readonly start: number
  readonly end: number
  readonly number: number
}

function markIn(text: string, from: number): Mark | undefined {
  const start = text.indexOf(NUL, from)
  if (start === -1) return undefined
  const end = text.indexOf(NUL, start + 1)
  // A text of our own may contain half a mark; the search must still end.
  if (end === -1) return undefined
  return { start, end: end + 1, number: Number(text.slice(start + 1, end)) }
}

/** Finds a mark in JSON. A client's text that looks like one has two backslashes there. */
function writtenMarkIn(json: string, from: number): Mark | undefined {
  let start = json.indexOf(WRITTEN_NUL, from)
  while (start !== -1 && isEscaped(json, start)) start = json.indexOf(WRITTEN_NUL, start + 1)
  if (start === -1) return undefined
  const number = start + WRITTEN_NUL.length
  const end = json.indexOf(WRITTEN_NUL, number)
  if (end === -1) return undefined
  return { start, end: end + WRITTEN_NUL.length, number: Number(json.slice(number, end)) }
}

/** Whether the backslash at a position is escaped by the one before it. */
function isEscaped(json: string, at: number): boolean {
  let before = at
  while (json.charCodeAt(before - 1) === BACKSLASH) before--
  return (at - before) % 2 === 1
}

const NUL = '\0'
const WRITTEN_NUL = '\\u0000'
const BACKSLASH = 0x5c
