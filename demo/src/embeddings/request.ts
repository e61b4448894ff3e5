import { absent, firstBroken, type Invalid, isObject, list, text } from '../json.ts'
import { countTokens } from '../tokens.ts'
import { DIMENSIONS } from './vector.ts'

/** A request for embeddings, parsed. */
export interface EmbeddingRequest {
  readonly model: string
  /** At least one; none is empty. */
  readonly inputs: readonly string[]
  readonly encoding: 'float' | 'base64'
}

const INPUTS_MAX = 2048
/** The encoder's tokenizer takes time in the square of the length: a third of a second at this one. */
const INPUT_TOKENS_MAX = 2048

/** Reads a request body, or says what is wrong with it. */
export function parseEmbeddingRequest(body: unknown): EmbeddingRequest | Invalid {
  if (!isObject(body)) return { param: null, message: 'the body must be a JSON object' }
  const given = typeof body.input === 'string' ? [body.input] : list(body.input)
  const inputs = given.map(text)
  const format = absent(body.encoding_format) ? 'float' : body.encoding_format
  const invalid = firstBroken([
    ['model', text(body.model) !== '', 'must name a model'],
    ['input', given.length > 0, 'must be a string or a non-empty array of strings'],
    ['input', given.every(input => typeof input === 'string'), 'must be text: token ids are not read here'],
    ['input', inputs.every(input => input !== ''), 'must not hold an empty string'],
    ['input', inputs.length <= INPUTS_MAX, `must have at most ${INPUTS_MAX} strings`],
    ['input', inputs.every(isShort), `must have at most ${INPUT_TOKENS_MAX} tokens in each string`],
    ['encoding_format', format === 'float' || format === 'base64', 'must be float or base64'],
    ['dimensions', absent(body.dimensions) || body.dimensions === DIMENSIONS, `must be ${DIMENSIONS}`],
  ])
  return invalid ?? { model: text(body.model), inputs, encoding: format === 'base64' ? 'base64' : 'float' }
}

const isShort = (input: string): boolean => countTokens(input) <= INPUT_TOKENS_MAX
