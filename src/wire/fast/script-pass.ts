import type { BodyPass, Most, MostNew, Reading } from './body-pass.ts'

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_LIST = 0x5b
const BACKSLASH = 0x5c
const LETTER_U = 0x75
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
/** Characters that may follow a backslash, besides u. */
const SHORT_ESCAPES = new Set(Buffer.from('"\\/bfnrt'))
const MOST_MEMBERS = 1024
/** The parser keeps one copy of texts up to this length in UTF-16, of which each unit takes at most three bytes of UTF-8. */
const SHORT_UNITS = 10
const SHORT_BYTES = 30

/**
 * The pass over a JSON text in JavaScript, for processes in which WebAssembly cannot start, such as under a limit of their
 * address space. It finds the same as wasm/outline.ts, in several times its time, but leaves no text out: where nothing is
 * left out the parser only has more to read.
 */
export const scriptPass: BodyPass = {
  read: (bytes, most) => new ScriptReading(bytes).read(most),
  newExceeded: (bytes, most) => new NewCounter(bytes).exceeded(most),
}

/** The strings of a JSON text, one after the other. */
class Strings {
  readonly bytes: Buffer
  opened = 0
  closed = 0
  /** Bytes that the last string's escapes add. */
  escaped = 0
  /** Whether the parser may refuse the last string. */
  isPeculiar = false
  hasHexEscape = false

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  /** Reads up to the quote that closes a string, or to the end of the text. */
  readString(start: number): void {
    const { bytes } = this
    this.opened = start
    this.escaped = 0
    this.isPeculiar = false
    let at = start + 1
    for (; at < bytes.length; at++) {
      const byte = bytes[at] ?? 0
      if (byte === QUOTE) break
      if (byte === BACKSLASH) at = this.#escape(at)
      else if (byte < 0x20) this.isPeculiar = true
    }
    this.closed = at
  }

  /** The last byte of an escape that has to be skipped. */
  #escape(backslash: number): number {
    const byte = this.bytes[backslash + 1] ?? 0
    if (SHORT_ESCAPES.has(byte)) this.escaped++
    else if (byte === LETTER_U) return this.#hexEscape(backslash)
    else this.isPeculiar = true
    return backslash + 1
  }

  #hexEscape(backslash: number): number {
    this.hasHexEscape = true
    const code = this.#hexAt(backslash)
    if (code === undefined) this.isPeculiar = true
    if (code === undefined || code >>> 11 !== 0x1b) {
      this.escaped += 6 - (code === undefined ? 3 : code < 0x80 ? 1 : code < 0x800 ? 2 : 3)
      return backslash + 1
    }
    if (code < 0xdc00 && (this.#hexAt(backslash + 6) ?? 0) >>> 10 === 0x37) {
      this.escaped += 12 - 4
      return backslash + 7
    }
    this.isPeculiar = true
    return backslash + 1
  }

  #hexAt(backslash: number): number | undefined {
    const written = this.bytes.toString('latin1', backslash, backslash + 6)
    return /^\\u[\da-f]{4}$/i.test(written) ? Number.parseInt(written.slice(2), 16) : undefined
  }

  /** Whether the last string may be a short text. */
  get mayBeShort(): boolean {
    return this.closed - this.opened - 1 - this.escaped <= SHORT_BYTES
  }
}

/** One reading of a text. */
class ScriptReading {
  readonly #strings: Strings
  readonly #members: { nameStart: number; nameEnd: number; start: number; end: number }[] = []
  #depth = 0
  #values = 1
  #names = 0
  #shorts = 0
  #isCounted = false
  #outermost = 0
  #notSpliceable = false
  /** Members that come now are not kept. */
  #isFull = false

  constructor(bytes: Buffer) {
    this.#strings = new Strings(bytes)
  }

  read({ depth, values, members }: Most): Reading | keyof Most {
    const { bytes } = this.#strings
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at] ?? 0
      if (byte === QUOTE) {
        this.#strings.readString(at)
        this.#isCounted = this.#strings.mayBeShort
        if (this.#isCounted) this.#shorts++
        at = this.#strings.closed
      } else this.#readStructure(byte, at)
      if (this.#depth > depth) return 'depth'
      if (this.#values > values) return 'values'
      if (this.#outermost > members) return 'members'
    }
    return {
      names: this.#names,
      members: this.#members,
      values: this.#values,
      shortTexts: this.#shorts,
      notSpliceable: this.#notSpliceable,
      hasHexEscape: this.#strings.hasHexEscape,
      isMarkable: false,
      known: [],
      elision: undefined,
    }
  }

  #readStructure(byte: number, at: number): void {
    if (byte === COLON) this.#readColon(at)
    else if (byte === COMMA) {
      this.#values++
      if (this.#depth === 1) this.#endMember(at)
    } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      this.#values++
      this.#depth++
    } else if ((byte | 0x20) === CLOSE_OBJECT) {
      if (this.#depth === 1) this.#endMember(at)
      this.#depth--
    }
  }

  #readColon(at: number): void {
    this.#names++
    if (this.#isCounted) this.#shorts--
    this.#isCounted = false
    if (this.#depth !== 1) return
    this.#outermost++
    const { opened, closed, escaped, isPeculiar } = this.#strings
    if (escaped > 0 || isPeculiar || this.#members.length === MOST_MEMBERS) this.#notSpliceable = true
    if (this.#members.length === MOST_MEMBERS) this.#isFull = true
    else this.#members.push({ nameStart: opened + 1, nameEnd: closed, start: at + 1, end: at + 1 })
  }

  #endMember(at: number): void {
    const member = this.#members.at(-1)
    if (member && !this.#isFull) member.end = at
  }
}

/** The names of an object in their order: another object that begins with the same ones follows it. */
type NameForm = Map<string, NameForm>

/** Counts what costs the parser something, as wasm/names.ts does. */
class NewCounter {
  readonly #strings: Strings
  readonly #first: NameForm = new Map()
  readonly #texts = new Set<string>()
  /** The form of each open object. */
  #forms: NameForm[] = [this.#first]
  #names = 0
  #isValue = false

  constructor(bytes: Buffer) {
    this.#strings = new Strings(bytes)
  }

  exceeded(most: MostNew): keyof MostNew | undefined {
    const { bytes } = this.#strings
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at] ?? 0
      if (byte === QUOTE) {
        this.#strings.readString(at)
        at = this.#strings.closed
        this.#isValue = true
      } else this.#readStructure(byte)
      if (this.#names > most.names) return 'names'
      if (this.#texts.size > most.texts) return 'texts'
    }
    return undefined
  }

  #readStructure(byte: number): void {
    if (byte === COLON) this.#addName()
    else if (byte === COMMA) this.#endValue()
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) this.#forms.push(this.#first)
    else if ((byte | 0x20) === CLOSE_OBJECT) {
      this.#endValue()
      if (this.#forms.length > 1) this.#forms.pop()
    }
  }

  #addName(): void {
    this.#isValue = false
    const name = this.#written
    const before = this.#forms.at(-1) ?? this.#first
    const known = before.get(name)
    // Names such as "7" are kept in a list, with room for those before them, each time anew.
    if (!known || /^\d/.test(name)) this.#names++
    const form: NameForm = known ?? new Map()
    if (!known) before.set(name, form)
    this.#forms[this.#forms.length - 1] = form
  }

  #endValue(): void {
    if (!this.#isValue) return
    this.#isValue = false
    if (this.#strings.mayBeShort && unitsOf(this.#written) <= SHORT_UNITS) this.#texts.add(this.#written)
  }

  get #written(): string {
    const { bytes, opened, closed } = this.#strings
    return bytes.toString('latin1', opened + 1, closed)
  }
}

/** Units of UTF-16 of a text as JSON writes it, with a character for each byte. */
function unitsOf(written: string): number {
  let units = 0
  for (let at = 0; at < written.length; at++) {
    const byte = written.charCodeAt(at)
    // Bytes after a character's first one are no units of their own; characters of four bytes are two units.
    if ((byte & 0xc0) !== 0x80) units += byte >= 0xf0 ? 2 : 1
    if (byte === BACKSLASH) at += written[at + 1] === 'u' ? 5 : 1
  }
  return units
}
