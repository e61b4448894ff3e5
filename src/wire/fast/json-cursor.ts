import type { Steps } from '../steps.ts'

/** Bytes examined in one step: a millisecond or two, or four with many small values. */
const STEP_BYTES = 262_144
/** A long text is looked at in such parts. */
const PART_BYTES = 65_536
/** No answer is nested deeper than this. */
const MOST_DEPTH = 512

/** Some bytes of a JSON text, from the first of a value to the one behind its last. */
export interface Span {
  readonly start: number
  readonly end: number
}

/**
 * Reads a JSON text from left to right without building values. Everything it passes is a prefix of valid JSON in UTF-8: all
 * methods return `false` or undefined at the first byte that no parser accepts.
 */
export class JsonCursor {
  readonly bytes: Buffer
  at = 0
  #rested = 0

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  /** Whether it is time to let others work. */
  get isDue(): boolean {
    if (this.at - this.#rested < STEP_BYTES) return false
    this.#rested = this.at
    return true
  }

  /** Whether only blanks are left. */
  get isAtEnd(): boolean {
    this.blanks()
    return this.at === this.bytes.length
  }

  /** The next byte that is no blank. */
  peek(): number {
    this.blanks()
    return this.bytes[this.at] ?? 0
  }

  /** Passes a byte, and blanks before it. */
  takes(byte: number): boolean {
    if (this.peek() !== byte) return false
    this.at++
    return true
  }

  blanks(): void {
    const { bytes } = this
    let { at } = this
    for (let byte = bytes[at]; byte === SPACE || byte === LF || byte === CR || byte === TAB; byte = bytes[at]) at++
    this.at = at
  }

  /** Passes the name of a member and its colon. */
  name(): string | undefined {
    this.blanks()
    const start = this.at + 1
    if (!this.#string()) return undefined
    const written = this.bytes.toString('utf8', start, this.at - 1)
    if (!this.takes(COLON)) return undefined
    return written.includes('\\') ? unescaped(written) : written
  }

  /** Passes a value of any kind. */
  *value(): Steps<Span | undefined> {
    this.blanks()
    const start = this.at
    const open: number[] = []
    do {
      if (this.isDue) yield
      if (!this.#passes(open)) return undefined
    } while (open.length > 0)
    return { start, end: this.at }
  }

  /** Passes a list of numbers that a double can hold, from its bracket on. How many they are; -1 where it is something else. */
  *numbers(): Steps<number> {
    let count = 0
    if (!this.takes(OPEN_LIST)) return -1
    if (this.takes(CLOSE_LIST)) return 0
    for (;;) {
      if (this.isDue) yield
      this.blanks()
      if (!this.#number()) return -1
      count++
      const byte = this.bytes[this.at] === COMMA ? COMMA : this.peek()
      this.at++
      if (byte === CLOSE_LIST) return count
      if (byte !== COMMA) return -1
    }
  }

  /** Passes a text without escapes, and returns what is between its quotes. */
  *plainText(): Steps<Span | undefined> {
    if (!this.takes(QUOTE)) return undefined
    const { bytes, at: start } = this
    const end = bytes.indexOf(QUOTE, start)
    if (end === -1) return undefined
    for (; this.at < end; this.at = Math.min(end, this.at + PART_BYTES)) {
      if (this.isDue) yield
      if (!isPlain(bytes, this.at, Math.min(end, this.at + PART_BYTES))) return undefined
    }
    this.at = end + 1
    return { start, end }
  }

  /** Passes a text of ASCII, with the escapes that it has, and returns what is between its quotes. */
  *asciiText(): Steps<Span | undefined> {
    if (!this.takes(QUOTE)) return undefined
    const start = this.at
    do {
      if (this.isDue) yield
      if (!this.#goesOnInText(this.at + PART_BYTES, DELETE)) return undefined
    } while (this.bytes[this.at] !== QUOTE)
    const end = this.at++
    return { start, end }
  }

  /** Goes on with a value of which `open` are the lists and objects that it is in: to the end of the next part of it. */
  #passes(open: number[]): boolean {
    const byte = this.peek()
    if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
      this.at++
      if (this.takes(byte + CLOSES)) return this.#closed(open)
      if (open.push(byte) > MOST_DEPTH) return false
      return byte === OPEN_LIST || this.#member()
    }
    return (byte === QUOTE ? this.#string() : this.#number() || this.#word()) && this.#closed(open)
  }

  /** Behind a value: passes all that closes there, and a comma. */
  #closed(open: number[]): boolean {
    for (let inside = open.at(-1); inside !== undefined; inside = open.at(-1)) {
      const byte = this.peek()
      this.at++
      if (byte === COMMA) return inside === OPEN_LIST || this.#member()
      if (byte !== inside + CLOSES) return false
      open.pop()
    }
    return true
  }

  #member(): boolean {
    return this.peek() === QUOTE && this.#string() && this.takes(COLON)
  }

  #word(): boolean {
    const { bytes, at } = this
    const word = WORDS.find(each => bytes.subarray(at, at + each.length).equals(each))
    this.at = at + (word?.length ?? 0)
    return word !== undefined
  }

  #string(): boolean {
    if (this.bytes[this.at] !== QUOTE) return false
    this.at++
    if (!this.#goesOnInText(this.bytes.length, LARGEST_BYTE)) return false
    this.at++
    return true
  }

  /** Passes a part of a text, to its closing quote or to about `end`, of bytes no larger than `largest`. */
  #goesOnInText(end: number, largest: number): boolean {
    const { bytes } = this
    let { at } = this
    for (let byte = bytes[at]; byte !== QUOTE && at < end; byte = bytes[at]) {
      if (byte === undefined || byte < SPACE || byte > largest) return false
      const length = byte === BACKSLASH ? escapeLength(bytes, at) : 1
      if (length === 0) return false
      at += length
    }
    this.at = at
    return at < bytes.length
  }

  /** A number that a double can hold. */
  #number(): boolean {
    const { bytes, at: start } = this
    let at = bytes[start] === MINUS ? start + 1 : start
    const whole = at
    if (bytes[at] === ZERO) at++
    else at = pastDigits(bytes, at)
    if (at === whole) return false
    let isLarge = at - whole > SAFE_DIGITS
    if (bytes[at] === POINT) {
      const fraction = at + 1
      at = pastDigits(bytes, fraction)
      if (at === fraction) return false
    }
    if (bytes[at] === LARGE_E || bytes[at] === SMALL_E) {
      at++
      isLarge ||= bytes[at] !== MINUS
      if (bytes[at] === MINUS || bytes[at] === PLUS) at++
      const exponent = at
      at = pastDigits(bytes, exponent)
      if (at === exponent) return false
    }
    return this.#takesNumber(at, isLarge)
  }

  #takesNumber(end: number, isLarge: boolean): boolean {
    if (isLarge && !Number.isFinite(Number(this.bytes.toString('latin1', this.at, end)))) return false
    this.at = end
    return true
  }
}

function isPlain(bytes: Buffer, from: number, end: number): boolean {
  for (let at = from; at < end; at++) {
    const byte = bytes[at] ?? 0
    if (byte === BACKSLASH || byte < SPACE || byte > DELETE) return false
  }
  return true
}

/** Passes an object member by member: `read` passes the value of each, and returns whether it could. */
export function* readMembers(cursor: JsonCursor, read: (name: string) => Steps<boolean>): Steps<boolean> {
  if (!cursor.takes(OPEN_OBJECT)) return false
  if (cursor.takes(CLOSE_OBJECT)) return true
  do {
    const name = cursor.name()
    if (name === undefined || !(yield* read(name))) return false
  } while (cursor.takes(COMMA))
  return cursor.takes(CLOSE_OBJECT)
}

/** Passes a list: `read` passes each of its values, and returns whether it could. */
export function* readList(cursor: JsonCursor, read: () => Steps<boolean>): Steps<boolean> {
  if (!cursor.takes(OPEN_LIST)) return false
  if (cursor.takes(CLOSE_LIST)) return true
  do {
    if (cursor.isDue) yield
    if (!(yield* read())) return false
  } while (cursor.takes(COMMA))
  return cursor.takes(CLOSE_LIST)
}

/** A text with escapes, without the quotes around it. */
export const unescaped = (text: string): string => String(JSON.parse(`"${text}"`))

/** The bytes of an escape, from its backslash on; 0 where it is none. */
function escapeLength(bytes: Buffer, at: number): number {
  const byte = bytes[at + 1] ?? 0
  if (byte !== LETTER_U) return SHORT_ESCAPES.has(byte) ? 2 : 0
  return /^[0-9a-f]{4}$/i.test(bytes.toString('latin1', at + 2, at + 6)) ? 6 : 0
}

function pastDigits(bytes: Buffer, from: number): number {
  let at = from
  for (;;) {
    const byte = bytes[at]
    if (byte === undefined || byte < ZERO || byte > NINE) return at
    at++
  }
}

/** So many digits before the point are below the largest double. */
const SAFE_DIGITS = 300
const TAB = 0x09
const LF = 0x0a
const CR = 0x0d
const SPACE = 0x20
const QUOTE = 0x22
const PLUS = 0x2b
const COMMA = 0x2c
const MINUS = 0x2d
const POINT = 0x2e
const ZERO = 0x30
const NINE = 0x39
const COLON = 0x3a
const LARGE_E = 0x45
const OPEN_LIST = 0x5b
const BACKSLASH = 0x5c
const CLOSE_LIST = 0x5d
const SMALL_E = 0x65
const LETTER_U = 0x75
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const DELETE = 0x7f
const LARGEST_BYTE = 0xff
/** From a bracket that opens to the one that closes. */
const CLOSES = 2
const SHORT_ESCAPES = new Set(Buffer.from('"\\/bfnrt'))
const WORDS = ['true', 'false', 'null'].map(word => Buffer.from(word))
