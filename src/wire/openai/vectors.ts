import type { WholeAnswer } from '../answer-reader.ts'
import { joined } from '../fast/joined.ts'
import { unescaped } from '../fast/json-cursor.ts'
import { findVectors, type VectorItem, type VectorList } from '../fast/vector-list.ts'
import { isObject } from '../json-safety.ts'
import type { Steps } from '../steps.ts'
import { isCount } from '../usage/usage.ts'
import type { AnswerTerms } from './answer.ts'

/** How a client wants its vectors: numbers, or little-endian float32 in base64. */
export type Encoding = 'float' | 'base64'

export interface VectorTerms extends AnswerTerms {
  readonly encoding: Encoding
  readonly inputs: number
  /** The number that the request asked for, if any. */
  readonly dimensions?: number | undefined
}

/** A backend answers with vectors of another size than the configuration declares, or than was asked for. */
export class VectorSizeError extends Error {
  constructor(answered: number, expected: number) {
    super(`vectors of ${answered} dimensions in place of ${expected}`)
    this.name = 'VectorSizeError'
  }
}

const FLOAT_BYTES = 4
/** Bytes of vectors converted in one step, which takes a few milliseconds. */
const STEP_BYTES = 262_144

/**
 * Reads a backend's vectors, and writes them as the client asked; undefined when one is missing or malformed. Throws
 * VectorSizeError where all of them have the same other size.
 */
export function* readVectors(bytes: Buffer, terms: VectorTerms): Steps<WholeAnswer | undefined> {
  const { model } = terms
  if (model.kind !== 'embedding') return undefined
  const found = yield* findVectors(bytes)
  const written = found && (yield* rewritten(bytes, found, terms))
  if (!written) return undefined
  const reported = isObject(written.usage) ? written.usage.prompt_tokens : undefined
  const tokens = isCount(reported) ? reported : terms.inputTokens
  const end = `,"model":${JSON.stringify(model.name)},"usage":{"prompt_tokens":${tokens},"total_tokens":${tokens}}}`
  return {
    bytes: yield* joined([Buffer.from('{"object":"list","data":'), ...written.list, Buffer.from(end)]),
    ...(isCount(reported) && { usage: { inputTokens: reported, outputTokens: 0 } }),
    outputBytes: 0,
  }
}

interface WrittenVectors {
  /** The JSON of the list, in pieces. */
  readonly list: readonly Buffer[]
  readonly usage: unknown
}

/** The list as the backend wrote it, where that is as it should be: else each vector is put in its place, and converted where it must be. */
function* rewritten(
  bytes: Buffer,
  { span, items: found, usage }: VectorList,
  terms: VectorTerms,
): Steps<WrittenVectors | undefined> {
  const items = inOrder(found, terms.inputs, ({ index }) => index)
  const dimensions = dimensionsOf(terms)
  const pace = new Pace()
  if (!items) return undefined
  const sizes = yield* sizesOf(bytes, items, pace)
  refuseOtherSize(sizes, dimensions)
  if (!sizes.every(size => size === dimensions)) return undefined
  const isAsked = ({ numbers }: VectorItem) => (numbers === undefined) === (terms.encoding === 'base64')
  if (items.every((item, i) => item === found[i] && item.isPlain && isAsked(item)))
    return { list: [bytes.subarray(span.start, span.end)], usage }
  const quote = terms.encoding === 'base64' ? '"' : ''
  const list: Buffer[] = []
  for (const [index, item] of items.entries()) {
    const { start, end } = item.vector
    if (!isAsked(item) && pace.isDue(item)) yield
    const vector = isAsked(item) ? bytes.subarray(start, end) : converted(textOf(bytes, item), item)
    if (!vector) return undefined
    list.push(Buffer.from(`${index === 0 ? '[' : ','}${headOf(index)}${quote}`), vector, Buffer.from(`${quote}}`))
  }
  return { list: [...list, Buffer.from(']')], usage }
}

function* sizesOf(bytes: Buffer, items: readonly VectorItem[], pace: Pace): Steps<readonly number[]> {
  const sizes: number[] = []
  for (const item of items) {
    // Counting numbers needed no decoding.
    if (item.numbers === undefined && pace.isDue(item)) yield
    sizes.push(sizeOf(bytes, item))
  }
  return sizes
}

/** Says when it is time to let others work. */
class Pace {
  #bytes = 0

  /** Asked before work on a vector. */
  isDue({ vector: { start, end } }: VectorItem): boolean {
    const isDue = this.#bytes >= STEP_BYTES
    this.#bytes = (isDue ? 0 : this.#bytes) + end - start
    return isDue
  }
}

const headOf = (index: number): string => `{"object":"embedding","index":${index},"embedding":`

const sizeOf = (bytes: Buffer, item: VectorItem): number =>
  item.numbers ?? Buffer.from(textOf(bytes, item), 'base64').length / FLOAT_BYTES

function textOf(bytes: Buffer, { vector: { start, end }, isEscaped }: VectorItem): string {
  const written = bytes.toString('latin1', start, end)
  return isEscaped ? unescaped(written) : written
}

/** One that answers so does so each time: no fault of a replica, and nothing that passes. */
function refuseOtherSize(sizes: readonly number[], expected: number): void {
  const [size] = sizes
  if (size !== undefined && size !== expected && Number.isInteger(size) && sizes.every(each => each === size))
    throw new VectorSizeError(size, expected)
}

/** A vector in the other form; undefined where its numbers have none in JSON. */
function converted(vector: string, { numbers }: VectorItem): Buffer | undefined {
  if (numbers !== undefined) return Buffer.from(base64Of(JSON.parse(vector)))
  const floats = floatsIn(Buffer.from(vector, 'base64'))
  return floats && Buffer.from(JSON.stringify(floats))
}

const dimensionsOf = ({ model, dimensions }: VectorTerms): number =>
  dimensions ?? (model.kind === 'embedding' ? model.dimensions : 0)

/** Items by index, which must be those of the inputs, each once. */
function inOrder<T>(items: readonly T[], inputs: number, indexOf: (item: T) => unknown): readonly T[] | undefined {
  if (items.length !== inputs) return undefined
  const placed: T[] = []
  for (const item of items) {
    const index = indexOf(item)
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= inputs || index in placed)
      return undefined
    placed[index] = item
  }
  return placed
}

function floatsIn(bytes: Buffer): number[] | undefined {
  const numbers = Array.from({ length: bytes.length / FLOAT_BYTES }, (_, i) => bytes.readFloatLE(i * FLOAT_BYTES))
  // A NaN would be printed as null.
  return numbers.every(Number.isFinite) ? numbers : undefined
}

function base64Of(vector: readonly number[]): string {
  const bytes = Buffer.allocUnsafe(vector.length * FLOAT_BYTES)
  vector.forEach((number, i) => {
    bytes.writeFloatLE(number, i * FLOAT_BYTES)
  })
  return bytes.toString('base64')
}
