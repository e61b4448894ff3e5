import type { Accepts, DeclaredFields } from '../../policy/config.ts'
import { type Denied, invalid } from '../../policy/denial.ts'
import type { EmbeddingAsk } from '../../policy/facts.ts'
import { DROPPABLE_OF_VECTORS } from '../../policy/providers/droppable.ts'
import { endUserOf } from '../end-user.ts'
import { spliced } from '../fast/splice.ts'
import type { JsonObject } from '../json-safety.ts'
import { allAtOnce } from '../steps.ts'
import type { AnswerTerms } from './answer.ts'
import { type OutlinedBody, outlineEmbeddings } from './body.ts'
import { extraBytes, type Fields, isInvalid, readFields, unsentOf, withoutFields } from './fields.ts'
import type { WireRequest } from './request.ts'
import { deniedBy, validator } from './validate.ts'
import { type Encoding, readVectors } from './vectors.ts'

const validate = validator({
  type: 'object',
  required: ['model', 'input'],
  properties: {
    model: { type: 'string', minLength: 1, maxLength: 256 },
    input: { type: ['string', 'array'], minLength: 1, minItems: 1, items: { type: 'string', minLength: 1 } },
    encoding_format: { enum: ['float', 'base64', null] },
    dimensions: { type: ['integer', 'null'], minimum: 1, maximum: 1_000_000 },
    user: { type: ['string', 'null'], maxLength: 512 },
  },
})

/** Reads the body of POST /v1/embeddings. */
export function readEmbeddings(bytes: Buffer, batchMax: number, declared?: DeclaredFields): WireRequest | Denied {
  const parsed = outlineEmbeddings(bytes)
  return 'denial' in parsed ? parsed : checkEmbeddings(parsed, batchMax, declared)
}

/** Checks a body that is parsed already. */
export function checkEmbeddings(
  parsed: OutlinedBody,
  batchMax: number,
  declared?: DeclaredFields,
): WireRequest | Denied {
  const { outline, texts } = parsed
  const fields = readFields('embedding', outline, declared)
  if (isInvalid(fields)) return invalid(fields.field, fields.problem)
  const { model, input, dimensions, encoding_format } = outline
  const user = typeof outline.user === 'string' ? endUserOf(texts.read(outline.user)) : undefined
  const ids = tokenIdsIn(input)
  const denied = deniedBy(ids ? { ...outline, input: ONE_TEXT } : outline, mixedInput, validate)
  if (denied) return denied

  const count = ids?.inputs ?? (Array.isArray(input) ? input.length : 1)
  if (count > batchMax) return invalid('input', `has ${count} texts; at most ${batchMax} go into one batch`)
  const request: EmbeddingAsk = {
    kind: 'embedding',
    model: String(model),
    // A backend may read a declared field with each input.
    textBytes: (ids?.tokens ?? bytesOf(input, texts)) + extraBytes(fields) * count,
    ...(user !== undefined && { user }),
    inputs: count,
    ...(ids && { tokenIds: true }),
    ...(encoding_format === 'base64' && { base64: true }),
    ...(fields.extras && { extras: fields.extras }),
    ...(typeof dimensions === 'number' && { dimensions }),
  }
  const encoding: Encoding = encoding_format === 'base64' ? 'base64' : 'float'
  const readInSteps = (answer: Buffer, terms: AnswerTerms) =>
    readVectors(answer, { ...terms, encoding, inputs: count, dimensions: request.dimensions })
  return {
    request,
    bodyFor: (backendModel, _output, { accepts, dimensions, facts } = {}) =>
      backendEmbeddings(parsed, { fields, model: backendModel, accepts, dimensions, drops: facts?.drops ?? [] }),
    readAnswer: (answer, terms) => allAtOnce(readInSteps(answer, terms)),
    readInSteps,
  }
}

interface SentTerms {
  readonly fields: Fields
  readonly model: string
  readonly accepts: Accepts | undefined
  /** Set where its backends make vectors of any size. */
  readonly dimensions: number | undefined
  /** Fields that its provider does not take: without `encoding_format`, vectors are numbers. */
  readonly drops: readonly string[]
}

/** The body for one backend. One that knows a single number of dimensions refuses the field. */
function backendEmbeddings(
  { texts, written }: OutlinedBody,
  { fields, model, accepts, dimensions, drops }: SentTerms,
): Buffer {
  const unsent = [
    ...(dimensions === undefined ? ['dimensions'] : []),
    ...[...DROPPABLE_OF_VECTORS].filter(field => drops.includes(field)),
    ...unsentOf(fields, accepts),
  ]
  if (written) return spliced(written, [{ name: 'model', json: JSON.stringify(model) }], unsent)
  return Buffer.from(JSON.stringify({ ...withoutFields(texts.whole(), ['model', ...unsent]), model }))
}

/** Replaces token ids, which have their own form. */
const ONE_TEXT = 'x'

interface TokenIds {
  readonly inputs: number
  readonly tokens: number
}

/** Inputs that are token ids: one array of them, or some. Undefined where any of it is something else. */
function tokenIdsIn(input: unknown): TokenIds | undefined {
  if (!Array.isArray(input) || input.length === 0) return undefined
  if (input.every(isTokenId)) return { inputs: 1, tokens: input.length }
  if (!input.every(isTokenList)) return undefined
  return { inputs: input.length, tokens: input.reduce((sum: number, list) => sum + list.length, 0) }
}

const MAX_ID = 2 ** 32
const isTokenId = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 0 && Number(value) < MAX_ID
const isTokenList = (value: unknown): value is readonly number[] =>
  Array.isArray(value) && value.length > 0 && value.every(isTokenId)

function mixedInput({ input }: JsonObject): { field: string; problem: string } | undefined {
  if (!Array.isArray(input) || !input.some(item => typeof item === 'number' || Array.isArray(item))) return undefined
  return { field: 'input', problem: 'must be texts, or arrays of token ids, and not both' }
}

function bytesOf(input: unknown, texts: OutlinedBody['texts']): number {
  const inputs = Array.isArray(input) ? input : [input]
  return inputs.reduce((bytes: number, text) => bytes + texts.sizeOf(String(text)), 0)
}
