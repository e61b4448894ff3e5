import { isAscii } from 'node:buffer'
import { readShape } from '../fast/outline.ts'
import { isNamed } from '../fast/splice.ts'
import { asObject, isObject, type JsonObject } from '../json-safety.ts'
import type { AnswerTerms, WholeAnswer } from './answer.ts'
import { textOf } from './body.ts'
import { parse } from './chunk.ts'
import { isCount } from './usage.ts'

/** How a client wants its vectors: numbers, or little-endian float32 in base64. */
export type Encoding = 'float' | 'base64'

export interface VectorTerms extends AnswerTerms {
  readonly encoding: Encoding
  readonly inputs: number
  /** As many as the request asked for, where it did. */
  readonly dimensions?: number | undefined
}

const FLOAT_BYTES = 4

/** Reads a backend's vectors, and writes them as the client asked; undefined when one is missing or malformed. */
export function readVectors(bytes: Buffer, terms: VectorTerms): WholeAnswer | undefined {
  const answer = parse(textOf(bytes))
  const { model, dimensions: asked } = terms
  if (!isObject(answer) || !Array.isArray(answer.data) || model.kind !== 'embedding') return undefined
  const dimensions = asked ?? model.dimensions
  const vectors = inOrder(answer.data, terms.inputs)?.map(vector => encoded(vector, terms.encoding, dimensions))
  if (!vectors?.every(vector => vector !== undefined)) return undefined

  const reported = isObject(answer.usage) ? answer.usage.prompt_tokens : undefined
  const tokens = isCount(reported) ? reported : terms.inputTokens
  return {
    bytes: Buffer.concat([
      Buffer.from('{"object":"list","data":'),
      asSent(bytes, answer, vectors) ?? Buffer.from(JSON.stringify(vectors.map(itemOf))),
      Buffer.from(
        `,"model":${JSON.stringify(model.name)},"usage":{"prompt_tokens":${tokens},"total_tokens":${tokens}}}`,
      ),
    ]),
    ...(isCount(reported) && { usage: { inputTokens: reported, outputTokens: 0 } }),
    outputBytes: 0,
  }
}

type Vector = string | readonly number[]

const itemOf = (embedding: Vector, index: number) => ({ object: 'embedding', index, embedding })

/** The list as the backend wrote it, where that is as it should be: to write so many numbers takes as long as to read them. */
function asSent(bytes: Buffer, answer: JsonObject, vectors: readonly Vector[]): Buffer | undefined {
  const data: readonly unknown[] = Array.isArray(answer.data) ? answer.data : []
  const isSame = vectors.every((vector, i) => {
    const item = asObject(data[i])
    return item.object === 'embedding' && item.index === i && item.embedding === vector
  })
  const shape = isSame && isAscii(bytes) && readShape(bytes)
  if (!shape || typeof shape === 'string') return undefined
  // Each item has three names at least: with so many in all, none has another, and none stands twice.
  const names = Object.keys(answer).length + Object.keys(asObject(answer.usage)).length + 3 * vectors.length
  const list = shape.names === names && shape.members.find(member => isNamed(bytes, member, 'data'))
  return list ? bytes.subarray(list.start, list.end) : undefined
}

/** The vectors by index, which must be those of the inputs, each once. */
function inOrder(data: readonly unknown[], inputs: number): unknown[] | undefined {
  if (data.length !== inputs) return undefined
  const items = data.filter(isObject).sort((a, b) => indexOf(a) - indexOf(b))
  return items.length === inputs && items.every((item, i) => indexOf(item) === i)
    ? items.map(({ embedding }) => embedding)
    : undefined
}

const indexOf = ({ index }: JsonObject): number => (typeof index === 'number' ? index : -1)

/** One vector in the form that was asked for; undefined when it is none, or of another length. */
function encoded(vector: unknown, encoding: Encoding, dimensions: number): Vector | undefined {
  if (typeof vector === 'string') {
    const bytes = Buffer.from(vector, 'base64')
    if (bytes.length !== dimensions * FLOAT_BYTES) return undefined
    return encoding === 'base64' ? vector : floatsIn(bytes)
  }
  if (!isVector(vector, dimensions)) return undefined
  return encoding === 'float' ? vector : base64Of(vector)
}

const isVector = (value: unknown, dimensions: number): value is readonly number[] =>
  Array.isArray(value) && value.length === dimensions && value.every(Number.isFinite)

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
