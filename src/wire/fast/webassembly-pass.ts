import type { BodyPass, Elides, Elision, KnownMember, Member, Most, MostNew, Reading } from './body-pass.ts'
import type { KnownSpans } from './known-span.ts'
import { OUTLINE_CODE } from './outline-code.ts'

/** The pass of wasm/outline.ts, which looks at sixteen bytes at once. The constructor throws where WebAssembly cannot start. */
export class WebAssemblyPass implements BodyPass {
  readonly #code: Code
  readonly #seed: bigint
  /** Two views of its memory. */
  #bytes = Buffer.alloc(0)
  #numbers = new Int32Array()
  /** The text that is being read, and the known values of its account. */
  #text: Buffer = NOTHING
  #spans: KnownSpans | undefined
  #known: KnownMember[] = []

  /** Senders of texts must not know the seed: they could choose names that take long to count. */
  constructor(seed: bigint) {
    module ??= new WebAssembly.Module(Buffer.from(OUTLINE_CODE, 'base64'))
    const known = (place: number, nameStart: number, nameEnd: number) => this.#find(place, nameStart, nameEnd)
    this.#code = new WebAssembly.Instance(module, { outline: { known } }).exports as Code
    this.#seed = seed
  }

  read(bytes: Buffer, most: Most, elides: Elides, spans?: KnownSpans): Reading | keyof Most {
    const { depth, values, members } = most
    const at = this.#code.room(bytes.length)
    this.#put(bytes, at)
    const asks = spans !== undefined && !spans.isEmpty && elides !== 'none'
    this.#begin(bytes, asks ? spans : undefined)
    const fault = FAULTS[this.#code.outline(bytes.length, depth, values, members, ELIDES[elides], asks)]
    const known = this.#end()
    if (fault !== undefined) return fault
    const flags = this.#at(FLAGS)
    // A text with U+0000 of its own would have marks of its own.
    const hasNul = (flags & HAS_NUL) !== 0
    if (hasNul && known.length > 0) return this.read(bytes, most, elides)
    const isWhole = hasNul || this.#at(LEFT_OUT) + known.length === 0
    return {
      known,
      isMarkable: !hasNul && elides !== 'none',
      names: this.#at(NAMES),
      members: this.#members(),
      values: this.#at(VALUES),
      shortTexts: this.#at(SHORT_TEXTS),
      notSpliceable: (flags & IS_ODD) !== 0,
      hasHexEscape: (flags & HAS_HEX_ESCAPE) !== 0,
      elision: isWhole ? undefined : this.#elision(at),
    }
  }

  #begin(text: Buffer, spans: KnownSpans | undefined): void {
    this.#text = text
    this.#spans = spans
  }

  /** Returns the known members that were found, and lets go of the text. */
  #end(): readonly KnownMember[] {
    const found = this.#known
    this.#text = NOTHING
    this.#spans = undefined
    if (found.length === 0) return NONE
    this.#known = []
    return found
  }

  /** Asked in the middle of a pass. */
  #find(place: number, nameStart: number, nameEnd: number): number {
    const span = this.#spans?.find(this.#text, place)
    if (!span) return 0
    this.#known.push({ name: this.#text.toString('utf8', nameStart, nameEnd), span })
    this.#numbers[0] = span.names
    this.#numbers[1] = span.values
    this.#numbers[2] = span.shortTexts
    return span.bytes.length
  }

  newExceeded(bytes: Buffer, { names, texts }: MostNew): keyof MostNew | undefined {
    this.#put(bytes, this.#code.roomForNames(bytes.length))
    return NEW_EXCEEDED[this.#code.newExceeded(bytes.length, names, texts, this.#seed)]
  }

  #elision(at: number): Elision {
    const length = this.#at(LENGTH)
    return {
      length,
      text: encoding => this.#bytes.toString(encoding, at, at + length),
      places: () => {
        const from = this.#at(LEFT_OUT_AT) / 4
        return this.#numbers.slice(from, from + 3 * this.#at(LEFT_OUT))
      },
    }
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

const NOTHING = Buffer.alloc(0)
const NONE: readonly KnownMember[] = []

/** Compiled once: an instance of its own has memory of its own. */
let module: WebAssembly.Module | undefined

/** The exports of wasm/outline.ts, and below, as there, the addresses of its results in memory, and its flags. */
interface Code {
  readonly memory: WebAssembly.Memory
  room(length: number): number
  outline(
    length: number,
    depthMost: number,
    valuesMost: number,
    membersMost: number,
    leavesOut: number,
    asks: boolean,
  ): number
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

const ELIDES: Readonly<Record<Elides, number>> = { none: 0, chat: 1, embeddings: 1, dialects: 2 }
const FAULTS: Readonly<Record<number, keyof Most>> = { 1: 'depth', 2: 'values', 3: 'members' }
const NEW_EXCEEDED: Readonly<Record<number, keyof MostNew>> = { 1: 'names', 2: 'texts' }
