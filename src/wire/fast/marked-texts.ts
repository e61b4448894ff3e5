import { asObject, isObject, type JsonObject } from '../json-safety.ts'
import { knownJsonBytes } from './known-json.ts'
import { isKnown } from './known-value.ts'
import type { Outline, Texts, TextVisitor } from './outline.ts'

/**
 * The long texts of a body in Responses or Messages, which the parsed outline omits. The outline has marks in their place: U+0000,
 * a number, U+0000. A text that was joined from several has several marks, and a picture keeps its beginning before its mark.
 */
export class MarkedTexts {
  /** Whether its body has no U+0000 of its own, so that marks of other bodies may join it. */
  readonly isMarkable: boolean
  readonly #bytes: Buffer
  readonly #elided: Outline['elided']
  readonly #count: number
  /** Texts whose marks follow those of this body. */
  readonly #next: MarkedTexts | undefined

  /** `bytes` are valid JSON in UTF-8, without U+0000 if any text was omitted. */
  constructor(bytes: Buffer, elided: Outline['elided'], isMarkable = false, next?: MarkedTexts) {
    this.#bytes = bytes
    this.#elided = elided
    this.isMarkable = isMarkable
    this.#next = next
    this.#count = elided.length / 3 + (next ? next.#count : 0)
  }

  /** Marks of these texts. */
  get count(): number {
    return this.#count
  }

  /** These texts, with those of another body behind them. */
  followedBy(next: MarkedTexts): MarkedTexts {
    if (next.#count === 0) return this
    if (this.#count === 0) return next
    const own = this.#next ? this.#next.followedBy(next) : next
    return new MarkedTexts(this.#bytes, this.#elided, true, own)
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
    const { bytes, from } = this.#placeOf(mark.number)
    return bytes.toString('latin1', from, from + beginning.length) === beginning
  }

  /** The UTF-8 bytes of a text. */
  sizeOf(text: string): number {
    if (!this.#has(text)) return Buffer.byteLength(text)
    let size = Buffer.byteLength(text)
    for (let mark = markIn(text, 0); mark; mark = markIn(text, mark.end)) {
      size += this.#placeOf(mark.number).textSize - (mark.end - mark.start)
    }
    return size
  }

  /** Passes the pieces of a text to a visitor, in order. */
  visit(text: string, visitor: TextVisitor): void {
    let shown = 0
    for (let mark = this.#has(text) ? markIn(text, 0) : undefined; mark; mark = markIn(text, shown)) {
      if (mark.start > shown) visitor.text(text.slice(shown, mark.start))
      const { bytes, from, size } = this.#placeOf(mark.number)
      visitor.bytes(bytes, from, from + size)
      shown = mark.end
    }
    if (shown < text.length) visitor.text(shown === 0 ? text : text.slice(shown))
  }

  /** A value with all marks resolved. */
  whole(value: unknown): unknown {
    // A known value has no marks.
    return this.#count === 0 ? value : withTexts(value, text => this.read(text))
  }

  /** The JSON of a value with marks: omitted texts are copied as the client wrote them. */
  json(value: unknown): Buffer {
    const bytesOf = (json: string) => this.#written(json)
    return isObject(value) ? knownJsonBytes(value, bytesOf) : bytesOf(JSON.stringify(value))
  }

  /** The bytes of that JSON. */
  jsonSizeOf(value: unknown): number {
    const json = JSON.stringify(value)
    return this.#count === 0 ? Buffer.byteLength(json) : this.#measured(json).length
  }

  /** JSON with the client's bytes in place of marks. */
  #written(json: string): Buffer {
    if (this.#count === 0) return Buffer.from(json)
    const { marks, length } = this.#measured(json)
    const result = Buffer.allocUnsafe(length)
    let copied = 0
    let at = 0
    for (const mark of marks) {
      at += result.write(json.slice(copied, mark.start), at)
      const { bytes, from, size } = this.#placeOf(mark.number)
      at += bytes.copy(result, at, from, from + size)
      copied = mark.end
    }
    result.write(json.slice(copied), at)
    return result
  }

  /** The marks in JSON, and its bytes with texts in their place. */
  #measured(json: string): { readonly marks: readonly Mark[]; readonly length: number } {
    const marks: Mark[] = []
    let length = Buffer.byteLength(json)
    for (let mark = writtenMarkIn(json, 0); mark; mark = writtenMarkIn(json, mark.end)) {
      marks.push(mark)
      length += this.#placeOf(mark.number).size - (mark.end - mark.start)
    }
    return { marks, length }
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
    return this.#count > 0 && text.includes('\0')
  }

  #text(number: number): string {
    const { bytes, from, size } = this.#placeOf(number)
    return String(JSON.parse(`"${bytes.toString('utf8', from, from + size)}"`))
  }

  #placeOf(number: number): Place {
    const own = this.#elided.length / 3
    if (this.#next && number >= own) return this.#next.#placeOf(number - own)
    const at = 3 * number
    const [from = 0, to = 2, textSize = 0] = [this.#elided[at], this.#elided[at + 1], this.#elided[at + 2]]
    return { bytes: this.#bytes, from: from + 1, size: to - from - 2, textSize }
  }
}

/** The position of a text in its body, without its quotes. */
interface Place {
  readonly bytes: Buffer
  readonly from: number
  /** Bytes there, and those of the text itself. */
  readonly size: number
  readonly textSize: number
}

/** Values of several bodies in one. */
export interface JoinedTexts {
  readonly texts: MarkedTexts
  /** A value of one of the bodies, with the marks of `texts`. */
  put(value: unknown, of: MarkedTexts): unknown
}

/** The texts of several bodies. All of them are read where one body has U+0000, which no mark could be told from. */
export function joinTexts(all: readonly MarkedTexts[]): JoinedTexts {
  if (!all.every(({ isMarkable }) => isMarkable)) return { texts: wholeTexts, put: (value, of) => of.whole(value) }
  const first = new Map<MarkedTexts, number>()
  let texts = wholeTexts
  for (const each of all) {
    if (first.has(each)) continue
    first.set(each, texts.count)
    texts = texts.followedBy(each)
  }
  return { texts, put: (value, of) => moved(value, of, first.get(of) ?? 0) }
}

function moved(value: unknown, { count }: MarkedTexts, by: number): unknown {
  if (count === 0 || by === 0) return value
  return withTexts(value, text => text.replace(MARKS, (_, number) => `${NUL}${Number(number) + by}${NUL}`))
}

/** A value with other texts. A known value has no marks. */
function withTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return value.includes(NUL) ? change(value) : value
  if (isKnown(value)) return value
  if (Array.isArray(value)) return value.map(each => withTexts(each, change))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withTexts(each, change)]))
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
const MARKS = new RegExp(`${NUL}(\\d+)${NUL}`, 'g')
const WRITTEN_NUL = '\\u0000'
const BACKSLASH = 0x5c
