import { randomBytes } from 'node:crypto'
import { asObject, type JsonObject } from '../json-safety.ts'
import type { BodyPass, Elides, KnownMember, Reading, Shape } from './body-pass.ts'
import type { KnownSpan, KnownSpans } from './known-span.ts'
import { scriptPass } from './script-pass.ts'
import { WebAssemblyPass } from './webassembly-pass.ts'
import { isWithout } from './without.ts'

/** The part of a JSON text that is parsed. */
export interface Outline extends Shape {
  /** The text. For each text that was left out stands a mark, U+0000 and its number; data:image/ of a picture stays. */
  readonly text: string
  /** For each text that was left out: where its quotes begin and end, and its UTF-8 bytes. */
  readonly elided: Int32Array
  /** Whether a name of the outermost object has escapes in it, or there are more members than `members` holds. */
  readonly notSpliceable: boolean
  /** Whether a string has escapes such as \u00e9. */
  readonly hasHexEscape: boolean
  /** Whether marks may stand in the text. */
  readonly isMarkable: boolean
  /** Members whose values are known: a mark stands for each, U+0000 and its place in this list. */
  readonly known: readonly KnownMember[]
}

/**
 * The outline of a JSON text, or its fault, before anything is parsed: a hostile text would cost seconds. `elides`
 * skips long texts and images, which are not parsed, if they contain nothing that the parser could refuse and the text
 * has no U+0000. `spans` also skips known values. The parser accepts the outline exactly if it accepts the text.
 */
export function readOutline(
  bytes: Buffer,
  encoding: 'latin1' | 'utf8',
  elides: Elides,
  spans?: KnownSpans,
): Outline | string {
  const known = looked
  looked = undefined
  if (known?.bytes === bytes && known.elides === elides) return known.outline
  const pass = passFor(bytes)
  const reading = pass.read(bytes, mostOf(elides), elides, spans)
  return typeof reading === 'string'
    ? faultOf(reading, elides)
    : outlineOf(pass, reading, { bytes, encoding, elides, spans })
}

/** Whether parsing the outline of a JSON text would take more than a few milliseconds. Keeps the result for the next readOutline. */
export function isCostly(bytes: Buffer, encoding: 'latin1' | 'utf8', elides: Elides, spans?: KnownSpans): boolean {
  looked = undefined
  const pass = passFor(bytes)
  const reading = pass.read(bytes, mostOf(elides), elides, spans)
  if (typeof reading === 'string') {
    looked = { bytes, elides, outline: faultOf(reading, elides) }
    return false
  }
  const { values, names, elision } = reading
  const { length } = elision ?? bytes
  if (length > LITTLE.bytes || values > LITTLE.values || names > LITTLE.names) return true
  looked = { bytes, elides, outline: outlineOf(pass, reading, { bytes, encoding, elides, spans }) }
  return false
}

let looked: { readonly bytes: Buffer; readonly elides: Elides; readonly outline: Outline | string } | undefined

/** Whether a JSON text of our own has more values than a body may. */
export const hasTooManyValues = (bytes: Buffer): boolean =>
  passFor(bytes).read(bytes, { depth: ANY_NUMBER, values: MAX_VALUES, members: ANY_NUMBER }, 'none') === 'values'

interface Read {
  readonly bytes: Buffer
  readonly encoding: 'latin1' | 'utf8'
  readonly elides: Elides
  readonly spans: KnownSpans | undefined
}

function outlineOf(pass: BodyPass, reading: Reading, { bytes, encoding, elides, spans }: Read): Outline | string {
  let read = reading
  // Only a text with many names or short texts is looked through for those that are new.
  if (reading.names > MOST_NEW.names || reading.shortTexts > MOST_NEW.texts) {
    const tooMany = pass.newExceeded(bytes, MOST_NEW)
    if (tooMany !== undefined) return TOO_MANY_NEW[tooMany]
    // The other pass took the place of what this one had found.
    const again = pass.read(bytes, mostOf(elides), elides, spans)
    if (typeof again === 'string') return faultOf(again, elides)
    read = again
  }
  const { names, members, notSpliceable, hasHexEscape, isMarkable, known, elision } = read
  return {
    text: elision ? elision.text(encoding) : bytes.toString(encoding),
    elided: elision ? elision.places() : NONE,
    names,
    members,
    notSpliceable,
    hasHexEscape,
    isMarkable,
    known,
  }
}

/** Counts what a pass would count in a value inside a body; undefined if it is nested too deep. */
export function countsIn(value: Buffer): Pick<KnownSpan, 'names' | 'values' | 'shortTexts'> | undefined {
  const most = { depth: MAX_DEPTH, values: ANY_NUMBER, members: ANY_NUMBER }
  const reading = passFor(value).read(value, most, 'none')
  if (typeof reading === 'string') return undefined
  const { names, values, shortTexts } = reading
  // A text is a value before anything of it is read.
  return { names, values: values - 1, shortTexts }
}

const NONE = new Int32Array()

/** Made when the first body comes: most commands read none. */
let made: BodyPass | undefined
/** How many bodies it is kept for, where it is to be given back. */
let keptFor = 0

function passFor({ length }: Buffer): BodyPass {
  if (length > KEPT_BYTES) keptFor = KEPT_FOR
  else if (keptFor > 0 && --keptFor === 0) made = undefined
  made ??= newPass()
  return made
}

/** WebAssembly reserves gigabytes of addresses, which a process under a limit may not have: there JavaScript does the same. */
function newPass(): BodyPass {
  if (isWithout('webassembly')) return scriptPass
  try {
    return new WebAssemblyPass(SEED)
  } catch {
    return scriptPass
  }
}

/** No honest request is nested deeper than this, and recursion over it would overflow. */
const MAX_DEPTH = 64
/** The longest conversation, of 10,000 messages that each call a tool, has 100,000; these take a thirtieth of a second. */
export const MAX_VALUES = 105_000
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
/** A body within these bounds is parsed in a few milliseconds. */
const LITTLE = { bytes: 131_072, values: 16_000, names: 4000 }
/** No argument, since nothing that is read depends on it: who knew it could choose names that take long to count. */
const SEED = randomBytes(8).readBigUInt64LE()
const MOST = { depth: MAX_DEPTH, values: MAX_VALUES, members: MAX_MEMBERS }
/** OpenAI takes 300,000 token ids in one request for embeddings; numbers take a third of what objects do. */
const MOST_OF_EMBEDDINGS = { ...MOST, values: 310_000 }
const MOST_NEW = { names: MAX_NEW_NAMES, texts: MAX_NEW_TEXTS }

const mostOf = (elides: Elides): typeof MOST => (elides === 'embeddings' ? MOST_OF_EMBEDDINGS : MOST)

function faultOf(exceeded: keyof typeof MOST, elides: Elides): string {
  switch (exceeded) {
    case 'depth':
      return `is nested deeper than ${MAX_DEPTH} levels`
    case 'values':
      return `has more than ${mostOf(elides).values} values`
    case 'members':
      return `has more than ${MAX_MEMBERS} fields`
  }
}

const TOO_MANY_NEW = {
  names: `has more than ${MAX_NEW_NAMES} names of fields that are new, or new in their order`,
  texts: `has more than ${MAX_NEW_TEXTS} different texts of at most 10 characters`,
} as const

/** The texts of a body, of which long ones may have been left out. */
export interface Texts {
  /** UTF-8 bytes of a text, or of a mark's text. */
  sizeOf(text: string): number
  /** A text, or a mark's text. */
  read(text: string): string
  /** Shows the pieces of a text in their order, without making a text of what was left out. */
  visit(text: string, visitor: TextVisitor): void
  /** The body with all of them. */
  whole(): JsonObject
  /** The JSON of an object made of the body, in which marks stand for texts; absent where only all of them can be written. */
  json?(object: JsonObject): Buffer
}

const ZERO = 0x30

/** Sees a text in pieces. */
export interface TextVisitor {
  text(text: string): void
  /** A piece as JSON writes it, without its quotes. */
  bytes(bytes: Buffer, from: number, to: number): void
}

/** The long texts of a body, which were left out of what was parsed of it. In their place stand marks. */
export class ElidedStrings implements Texts {
  readonly #bytes: Buffer
  readonly #elided: Outline['elided']
  #whole: JsonObject | undefined

  /** `bytes` are valid JSON in UTF-8. */
  constructor(bytes: Buffer, elided: Outline['elided']) {
    this.#bytes = bytes
    this.#elided = elided
  }

  sizeOf(text: string): number {
    const entry = this.#entryOf(text)
    return entry === undefined ? Buffer.byteLength(text) : (this.#elided[entry + 2] ?? 0)
  }

  read(text: string): string {
    const entry = this.#entryOf(text)
    if (entry === undefined) return text
    return String(JSON.parse(this.#bytes.toString('utf8', this.#elided[entry], this.#elided[entry + 1])))
  }

  visit(text: string, visitor: TextVisitor): void {
    const entry = this.#entryOf(text)
    if (entry === undefined) visitor.text(text)
    else visitor.bytes(this.#bytes, (this.#elided[entry] ?? 0) + 1, (this.#elided[entry + 1] ?? 1) - 1)
  }

  whole(): JsonObject {
    this.#whole ??= asObject(JSON.parse(this.#bytes.toString('utf8')))
    return this.#whole
  }

  /** Where the numbers of a mark are. A body of which anything was left out has U+0000 nowhere else. */
  #entryOf(text: string): number | undefined {
    const at = this.#elided.length > 0 ? text.indexOf('\0') : -1
    if (at === -1) return undefined
    // Number() of a slice takes several times as long.
    let number = 0
    for (let place = at + 1; place < text.length; place++) number = 10 * number + text.charCodeAt(place) - ZERO
    return 3 * number
  }
}
