import type { BodyPass, Elides, Elision, Member, Most, MostNew, Reading } from './body-pass.ts'
import { OUTLINE_CODE } from './outline-code.ts'

/** The pass of wasm/outline.ts, which looks at sixteen bytes at once. The constructor throws where WebAssembly cannot start. */
export class WebAssemblyPass implements BodyPass {
  readonly #code: Code
  readonly #seed: bigint
  /** Two views of its memory. */
  #bytes = Buffer.alloc(0)
  #numbers = new Int32Array()

  /** Senders of texts must not know the seed: they could choose names that take long to count. */
  constructor(seed: bigint) {
    module ??= new WebAssembly.Module(Buffer.from(OUTLINE_CODE, 'base64'))
    this.#code = new WebAssembly.Instance(module).exports as Code
    this.#seed = seed
  }

  read(bytes: Buffer, { depth, values, members }: Most, elides: Elides): Reading | keyof Most {
    const at = this.#code.room(bytes.length)
    this.#put(bytes, at)
    const fault = FAULTS[this.#code.outline(bytes.length, depth, values, members, ELIDES[elides])]
    if (fault !== undefined) return fault
    const flags = this.#at(FLAGS)
    // A text with U+0000 of its own would have marks of its own.
    const isWhole = this.#at(LEFT_OUT) === 0 || (flags & HAS_NUL) !== 0
    return {
      names: this.#at(NAMES),
      members: this.#members(),
      values: this.#at(VALUES),
      shortTexts: this.#at(SHORT_TEXTS),
      notSpliceable: (flags & IS_ODD) !== 0,
      hasHexEscape: (flags & HAS_HEX_ESCAPE) !== 0,
      elision: isWhole ? undefined : this.#elision(at),
    }
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

/** Compiled once: an instance of its own has memory of its own. */
let module: WebAssembly.Module | undefined

/** The exports of wasm/outline.ts, and below, as there, the addresses of its results in memory, and its flags. */
interface Code {
  readonly memory: WebAssembly.Memory
  room(length: number): number
  outline(length: number, depthMost: number, valuesMost: number, membersMost: number, leavesOut: number): number
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
