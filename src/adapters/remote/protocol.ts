import { list, record, text } from '../../records/shape.ts'
import { BadMessage, Reader, Writer } from './bytes.ts'
import { CALLS, type CallShape, type Facets } from './calls.ts'
import { type Codec, codecOf } from './codec.ts'

/** A call of the table, by its number. */
export interface Method {
  readonly facet: keyof Facets
  readonly name: string
  readonly comes: CallShape['comes']
  /** The codecs of the arguments, in their order. */
  readonly args: readonly Codec<unknown>[]
  /** The codec of the result, or of a page of items. */
  readonly answer: Codec<unknown>
  /** The codec of the result, or of an item of a page. */
  readonly item: Codec<unknown>
  /** The most items of a stream that travel together. */
  readonly perPage: number
}

/** Records that a store reads at once. */
const PAGE_ITEMS = 256

/** Every call of a store: both sides are of one version, so that they have the same numbers. */
export const METHODS: readonly Method[] = Object.entries(CALLS).flatMap(([facet, calls]) =>
  Object.entries(calls as Readonly<Record<string, CallShape>>).map(
    ([name, { args, answer, comes, perPage = PAGE_ITEMS }]) => ({
      facet: facet as keyof Facets,
      name,
      comes,
      args: args.map(shape => codecOf<unknown>(shape)),
      answer: codecOf<unknown>(comes === 'pages' ? { kind: 'list', item: answer } : answer),
      item: codecOf<unknown>(answer),
      perPage,
    }),
  ),
)

/** The kinds of frames. A frame is its length, its kind, the number of its call, and a payload by kind. */
export const FRAME = {
  /** Either side, first: who it is. */
  hello: 0,
  /** The number of a method, and the arguments. */
  call: 1,
  answer: 2,
  failure: 3,
  /** Whether more follow, and the items. */
  page: 4,
  /** Asks for the next page of the call with this number; `cancel` stops it. */
  more: 5,
  cancel: 6,
} as const

export interface Hello {
  readonly version: string
  /** The scan orders of the store, from its side. */
  readonly scanOrders: readonly string[]
}

export const hello: Codec<Hello> = codecOf(record<Hello>({ version: text, scanOrders: list(text) }))

export interface Failure {
  readonly name: string
  readonly message: string
}

export const failure: Codec<Failure> = codecOf(record<Failure>({ name: text, message: text }))

/** Frames that wait to be sent together: all of a turn of the event loop are one write. */
export class Outbox {
  readonly #writer = new Writer()
  readonly #send: (bytes: Buffer) => void
  #isDue = false

  constructor(send: (bytes: Buffer) => void) {
    this.#send = send
  }

  /** Bytes collected so far. */
  get size(): number {
    return this.#writer.at
  }

  put(kind: number, call: number, write: (writer: Writer) => void): void {
    const writer = this.#writer
    const from = writer.at
    try {
      writer.u32(0)
      writer.u8(kind)
      writer.u32(call)
      write(writer)
      writer.setU32(from, writer.at - from - LENGTH)
    } catch (error) {
      // Half a frame would spoil all that follow.
      writer.at = from
      throw error
    }
    if (this.#isDue) return
    this.#isDue = true
    // After the other messages of this turn.
    process.nextTick(() => this.flush())
  }

  flush(): void {
    this.#isDue = false
    if (this.#writer.at > 0) this.#send(this.#writer.take())
  }
}

/** Cuts arriving bytes into frames. `take` gets a reader positioned after kind and call, and must read to its end. */
export function framesOf(take: (kind: number, call: number, reader: Reader) => void): (chunk: Buffer) => void {
  let rest: Buffer[] = []
  let missing = 0
  return chunk => {
    rest.push(chunk)
    missing -= chunk.length
    if (missing > 0) return
    const bytes = rest.length === 1 ? chunk : Buffer.concat(rest)
    const left = readFrames(bytes, take)
    rest = left.length === 0 ? [] : [Buffer.from(left)]
    // Until so many more bytes came, there is nothing to join and look at.
    missing = left.length < LENGTH ? 0 : LENGTH + left.readUInt32LE(0) - left.length
  }
}

/** Reads all whole frames. Returns the rest. */
function readFrames(bytes: Buffer, take: (kind: number, call: number, reader: Reader) => void): Buffer {
  const reader = new Reader(bytes)
  let from = 0
  while (bytes.length - from >= LENGTH) {
    const length = bytes.readUInt32LE(from)
    if (length < HEAD || length > MOST) throw new BadMessage(`a frame of ${length} bytes`)
    const end = from + LENGTH + length
    if (end > bytes.length) break
    reader.at = from + LENGTH
    reader.end = end
    take(reader.u8(), reader.u32(), reader)
    if (reader.at !== end) throw new BadMessage('it is longer than what it says')
    from = end
  }
  return bytes.subarray(from)
}

/** Bytes of a length. */
const LENGTH = 4
/** The least that follows it. */
const HEAD = 5
/** No message of the table comes near: a kept response has at most some megabytes. */
const MOST = 1 << 30
