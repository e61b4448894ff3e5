import { isObject, type JsonObject } from './body.ts'
import { parse } from './chunk.ts'
import type { AnswerTerms, WholeAnswer } from './request.ts'
import { isCount } from './usage.ts'

/** How a client wants its vectors: numbers, or little-endian float32 in base64. */
export type Encoding = 'float' | 'base64'

export interface VectorTerms extends AnswerTerms {
  readonly encoding: Encoding
  readonly inputs: number
}

const FLOAT_BYTES = 4

/** Reads a backend's vectors, and writes them as the client asked; undefined when one is missing or malformed. Spec 2.6. */
export function readVectors(bytes: Buffer, terms: VectorTerms): WholeAnswer | undefined {
  const answer = parse(bytes.toString('utf8'))
  const { model } = terms
  if (!isObject(answer) || !Array.isArray(answer.data) || model.kind !== 'embedding') return undefined
  const vectors = inOrder(answer.data, terms.inputs)?.map(vector => encoded(vector, terms.encoding, model.dimensions))
  if (!vectors || vectors.includes(undefined)) return undefined

  const reported = isObject(answer.usage) ? answer.usage.prompt_tokens : undefined
  const tokens = isCount(reported) ? reported : terms.inputTokens
  const body = {
    object: 'list',
    data: vectors.map((embedding, index) => ({ object: 'embedding', index, embedding })),
    model: model.name,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  }
  return {
    bytes: Buffer.from(JSON.stringify(body)),
    ...(isCount(reported) && { usage: { inputTokens: reported, outputTokens: 0 } }),
    spoken: 0,
  }
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
function encoded(vector: unknown, encoding: Encoding, dimensions: number): string | readonly number[] | undefined {
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
