import { randomBytes } from 'node:crypto'
import { OUTLINE_CODE } from './outline-code.ts'

/** Deeper nesting than this is nobody's honest request, and recursion over it would overflow. */
const MAX_DEPTH = 64
/** The longest conversation, of 10,000 messages that each call a tool, has 100,000; these take a thirtieth of a second. */
const MAX_VALUES = 105_000
/** Four times what any backend knows. */
const MAX_MEMBERS = 256
/**
 * Names that are new to the parser, as wasm/names.ts counts them, take a microsecond or two each. A thousand tools of
 * eight parameters each have fewer; conversations have few, since their messages have the same names in the same order.
 */
const MAX_NEW_NAMES = 10_000
/**
 * Texts of at most ten characters that are new to the parser, which keeps one copy of each, take as long as half a name,
 * and more when its table of them has to grow. The longest conversation, of 10,000 calls, has three for each: identifier,
 * arguments and content.
 */
const MAX_NEW_TEXTS = 32_000
/** Memory of WebAssembly never shrinks: what a larger body took is given back after so many that are not. */
const KEPT_BYTES = 4_194_304
const KEPT_FOR = 1000
const ANY_NUMBER = 2 ** 31 - 1
/** As many bytes, values and names are parsed in a few milliseconds. */
const LITTLE = { bytes: 131_072, values: 16_000, names: 4000 }
/** No argument, since nothing that is read depends on it: who knew it could choose names that take long to count. */
const SEED = randomBytes(8).readBigUInt64LE()

/** A member of the object that a JSON text is, in bytes of the text. */
export interface Member {
  /** Where its name stands, as it is written, without its quotes. */
  readonly nameStart: number
  readonly nameEnd: number
  /** Where its value begins, right behind the colon, and where it ends, blanks and all. */
  readonly start: number
  readonly end: number
}

/** What one pass over a JSON text tells of it. */
export interface Shape {
  /** Names in it, at any depth. */
  readonly names: number
  /** Of the outermost object, in order. */
  readonly members: readonly Member[]
}

/** What is to be parsed of a JSON text. */
export interface Outline extends Shape {
  /** The text. For each text that was left out stands a mark, U+0000 and its number; data:image/ of a picture stays. */
  readonly text: string
  /** Of each text that was left out: where its quotes begin and end, and its UTF-8 bytes. */
  readonly elided: Int32Array
  /** Whether a name of the outermost object has escapes in it, or there are more members than are told. */
  readonly notSpliceable: boolean
  /** Whether a string has escapes such as \u00e9. */
  readonly hasHexEscape: boolean
}

/** The shape of a JSON text of which there is no bound but its size, or what is wrong with it. */
export const readShape = (bytes: Buffer): Shape | string => readerFor(bytes).shape(bytes)

/**
 * The outline of a JSON text, or what is wrong with it, before anything is parsed: a hostile text would cost seconds.
 * `leavesOut` leaves out the long texts and pictures of messages and the long texts of an input, so that nobody parses
 * them, where they have nothing that the parser could refuse and the text has no U+0000. The parser says the same of the
 * outline as of the text.
 */
export function readOutline(bytes: Buffer, encoding: 'latin1' | 'utf8', leavesOut: boolean): Outline | string {
  const known = looked
  looked = undefined
  if (known?.bytes === bytes && known.leavesOut === leavesOut) return known.outline
  const read = readerFor(bytes).outline(bytes, leavesOut)
  return typeof read === 'string' ? read : read.outline(encoding)
}

/**
 * Whether it would take more than a few milliseconds to parse what readOutline leaves of a JSON text. What was found is
 * kept for a readOutline that comes next.
 */
export function isDear(bytes: Buffer, encoding: 'latin1' | 'utf8', leavesOut: boolean): boolean {
  looked = undefined
  const read = readerFor(bytes).outline(bytes, leavesOut)
  if (typeof read !== 'string' && read.isDear) return true
  looked = { bytes, leavesOut, outline: typeof read === 'string' ? read : read.outline(encoding) }
  return false
}

let looked: { readonly bytes: Buffer; readonly leavesOut: boolean; readonly outline: Outline | string } | undefined

/** Made when the first body comes: most commands read none. */
let reader: OutlineReader | undefined
/** How many bodies it is kept for, where it is to be given back. */
let keptFor = 0

function readerFor({ length }: Buffer): OutlineReader {
  if (length > KEPT_BYTES) keptFor = KEPT_FOR
  else if (keptFor > 0 && --keptFor === 0) reader = undefined
  reader ??= new OutlineReader()
  return reader
}

/** What wasm/outline.ts exports, and below, as there, the places of what it tells in memory, and its flags. */
interface Code {
  readonly memory: WebAssembly.Memory
  room(length: number): number
  outline(length: number, depthMost: number, valuesMost: number, membersMost: number, leavesOut: boolean): number
  roomForNames(length: number): number
  newExceeded(length: number, mostNames: number, mostTexts: number, seed: bigint): number
}
const NAMES = 0
const MEMBERS = 1
const LEFT_OUT = 2
const LEFT_OUT_AT = 3
const LENGTH = 4
const FLAGS = 5
const VALUES = 6
const SHORT_TEXTS = 7
const MEMBERS_AT = 8

const HAS_HEX_ESCAPE = 1
const HAS_NUL = 2
const IS_ODD = 4

const FAULTS: Readonly<Record<number, string>> = {
  1: `is nested deeper than ${MAX_DEPTH} levels`,
  2: `has more than ${MAX_VALUES} values`,
  3: `has more than ${MAX_MEMBERS} fields`,
}
/** By what newExceeded says. */
const TOO_MANY_NEW: Readonly<Record<number, string>> = {
  1: `has more than ${MAX_NEW_NAMES} names of fields that are new, or new in their order`,
  2: `has more than ${MAX_NEW_TEXTS} different texts of at most 10 characters`,
}

const NONE = new Int32Array()

/** A text that the pass has been over; its outline must be asked for before the next text comes. */
interface Passed {
  readonly isDear: boolean
  /** Of a text with many names or short texts, those that are new are counted first. */
  outline(encoding: 'latin1' | 'utf8'): Outline | string
}

/** Compiled once: an instance of its own has memory of its own. */
let module: WebAssembly.Module | undefined

class OutlineReader {
  readonly #code: Code
  /** Two views of its memory. */
  #bytes = Buffer.alloc(0)
  #numbers = NONE

  constructor() {
    module ??= new WebAssembly.Module(Buffer.from(OUTLINE_CODE, 'base64'))
    this.#code = new WebAssembly.Instance(module).exports as Code
  }

  shape(bytes: Buffer): Shape | string {
    this.#put(bytes, this.#code.room(bytes.length))
    const fault = FAULTS[this.#code.outline(bytes.length, MAX_DEPTH, ANY_NUMBER, ANY_NUMBER, false)]
    return fault ?? { names: this.#at(NAMES), members: this.#members() }
  }

  outline(bytes: Buffer, leavesOut: boolean): Passed | string {
    const at = this.#code.room(bytes.length)
    this.#put(bytes, at)
    const fault = FAULTS[this.#code.outline(bytes.length, MAX_DEPTH, MAX_VALUES, MAX_MEMBERS, leavesOut)]
    if (fault !== undefined) return fault
    const names = this.#at(NAMES)
    const isWhole = this.#at(LEFT_OUT) === 0 || (this.#at(FLAGS) & HAS_NUL) !== 0
    const length = isWhole ? bytes.length : this.#at(LENGTH)
    const isDear = length > LITTLE.bytes || this.#at(VALUES) > LITTLE.values || names > LITTLE.names
    const mayHaveTooMany = names > MAX_NEW_NAMES || this.#at(SHORT_TEXTS) > MAX_NEW_TEXTS
    const outline = (encoding: 'latin1' | 'utf8') => {
      if (mayHaveTooMany) {
        // The outline was written over the text.
        const tooMany = this.#tooManyNew(bytes)
        if (tooMany !== undefined) return tooMany
        this.#put(bytes, at)
        this.#code.outline(bytes.length, MAX_DEPTH, MAX_VALUES, MAX_MEMBERS, leavesOut)
      }
      return this.#outline(bytes, encoding, isWhole, at)
    }
    return { isDear, outline }
  }

  #outline(bytes: Buffer, encoding: 'latin1' | 'utf8', isWhole: boolean, at: number): Outline {
    const flags = this.#at(FLAGS)
    return {
      text: isWhole ? bytes.toString(encoding) : this.#bytes.toString(encoding, at, at + this.#at(LENGTH)),
      elided: isWhole ? NONE : this.#elided(),
      names: this.#at(NAMES),
      members: this.#members(),
      notSpliceable: (flags & IS_ODD) !== 0,
      hasHexEscape: (flags & HAS_HEX_ESCAPE) !== 0,
    }
  }

  #tooManyNew(bytes: Buffer): string | undefined {
    this.#put(bytes, this.#code.roomForNames(bytes.length))
    return TOO_MANY_NEW[this.#code.newExceeded(bytes.length, MAX_NEW_NAMES, MAX_NEW_TEXTS, SEED)]
  }

  #put(bytes: Buffer, at: number): void {
    const { buffer } = this.#code.memory
    if (this.#bytes.buffer !== buffer) {
      this.#bytes = Buffer.from(buffer)
      this.#numbers = new Int32Array(buffer)
    }
    this.#bytes.set(bytes, at)
  }

  #at(index: number): number {
    return this.#numbers[index] ?? 0
  }

  #elided(): Int32Array {
    const at = this.#at(LEFT_OUT_AT) / 4
    return this.#numbers.slice(at, at + 3 * this.#at(LEFT_OUT))
  }

  #members(): readonly Member[] {
    const members: Member[] = []
    const end = MEMBERS_AT + 4 * this.#at(MEMBERS)
    for (let at = MEMBERS_AT; at < end; at += 4) {
      members.push({
        nameStart: this.#at(at),
        nameEnd: this.#at(at + 1),
        start: this.#at(at + 2),
        end: this.#at(at + 3),
      })
    }
    return members
  }
}
