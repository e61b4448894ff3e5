import type { Denial } from '../policy/denial.ts'
import type { EmbeddingAsk } from '../policy/facts.ts'
import { invalid, isDenial, type JsonObject, type OutlinedBody, outlineBody } from './body.ts'
import { refusedField } from './refused.ts'
import type { WireRequest } from './request.ts'
import { spliced } from './splice.ts'
import { denialOf, validator } from './validate.ts'
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

/** Reads the body of POST /v1/embeddings. Spec 4.3. */
export function readEmbeddings(bytes: Buffer, batchMax: number): WireRequest | Denial {
  const parsed = outlineBody(bytes)
  if (isDenial(parsed)) return parsed
  const { outline, texts } = parsed
  const denial = denialOf(outline, refusedField, tokensInstead, validate)
  if (denial) return denial

  const { model, input, dimensions, encoding_format } = outline
  const inputs = (Array.isArray(input) ? input : [input]).map(String)
  if (inputs.length > batchMax)
    return invalid('input', `has ${inputs.length} texts; at most ${batchMax} go into one batch`)
  const request: EmbeddingAsk = {
    kind: 'embedding',
    model: String(model),
    textBytes: inputs.reduce((bytes, text) => bytes + texts.sizeOf(text), 0),
    inputs: inputs.length,
    ...(typeof dimensions === 'number' && { dimensions }),
  }
  const encoding: Encoding = encoding_format === 'base64' ? 'base64' : 'float'
  return {
    request,
    path: '/embeddings',
    bodyFor: backendModel => backendEmbeddings(parsed, backendModel),
    readAnswer: (answer, terms) => readVectors(answer, { ...terms, encoding, inputs: inputs.length }),
  }
}

/** The body for one backend. `dimensions` was checked, and backends that know one number refuse to be told. */
function backendEmbeddings({ outline, texts, written }: OutlinedBody, model: string): Buffer {
  if (written && !('dimensions' in outline)) return spliced(written, [{ name: 'model', json: JSON.stringify(model) }])
  const { dimensions: _checked, model: _named, ...rest } = texts.whole()
  return Buffer.from(JSON.stringify({ ...rest, model }))
}

/** Some clients send token ids of a tokenizer that is not ours: the text of the error says how to stop them. */
function tokensInstead({ input }: JsonObject): { field: string; problem: string } | undefined {
  if (!Array.isArray(input) || !input.some(item => typeof item === 'number' || Array.isArray(item))) return undefined
  const problem =
    'must be text: arrays of token ids are not accepted (LangChain: set check_embedding_ctx_length to false)'
  return { field: 'input', problem }
}
