import type { Accepts, DeclaredFields } from '../../policy/config.ts'
import { type Denied, invalid } from '../../policy/denial.ts'
import type { EmbeddingAsk } from '../../policy/facts.ts'
import { spliced } from '../fast/splice.ts'
import type { JsonObject } from '../json-safety.ts'
import { type OutlinedBody, outlineBody } from './body.ts'
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
  const parsed = outlineBody(bytes)
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
  const denied = deniedBy(outline, tokensInstead, validate)
  if (denied) return denied

  const { model, input, dimensions, encoding_format } = outline
  const inputs = (Array.isArray(input) ? input : [input]).map(String)
  if (inputs.length > batchMax)
    return invalid('input', `has ${inputs.length} texts; at most ${batchMax} go into one batch`)
  const request: EmbeddingAsk = {
    kind: 'embedding',
    model: String(model),
    // What stands in a declared field may be read with each input.
    textBytes: inputs.reduce((bytes, text) => bytes + texts.sizeOf(text), 0) + extraBytes(fields) * inputs.length,
    inputs: inputs.length,
    ...(fields.extras && { extras: fields.extras }),
    ...(typeof dimensions === 'number' && { dimensions }),
  }
  const encoding: Encoding = encoding_format === 'base64' ? 'base64' : 'float'
  return {
    request,
    bodyFor: (backendModel, _output, { accepts } = {}) => backendEmbeddings(parsed, fields, backendModel, accepts),
    readAnswer: (answer, terms) => readVectors(answer, { ...terms, encoding, inputs: inputs.length }),
  }
}

/** The body for one backend. `dimensions` was checked, and backends that know one number refuse the field. */
function backendEmbeddings(
  { texts, written }: OutlinedBody,
  fields: Fields,
  model: string,
  accepts: Accepts | undefined,
): Buffer {
  const unsent = ['dimensions', ...unsentOf(fields, accepts)]
  if (written) return spliced(written, [{ name: 'model', json: JSON.stringify(model) }], unsent)
  return Buffer.from(JSON.stringify({ ...withoutFields(texts.whole(), ['model', ...unsent]), model }))
}

/** Some clients send token ids of a tokenizer that is not ours: the text of the error says how to stop them. */
function tokensInstead({ input }: JsonObject): { field: string; problem: string } | undefined {
  if (!Array.isArray(input) || !input.some(item => typeof item === 'number' || Array.isArray(item))) return undefined
  const problem =
    'must be text: arrays of token ids are not accepted (LangChain: set check_embedding_ctx_length to false)'
  return { field: 'input', problem }
}
