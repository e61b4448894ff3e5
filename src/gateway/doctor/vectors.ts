import { type EmbeddingModel, placeOf } from '../../policy/config.ts'
import { parse } from '../../wire/json-bytes.ts'
import { isObject } from '../../wire/json-safety.ts'
import { readEmbeddings } from '../../wire/openai/embeddings.ts'
import { VectorSizeError } from '../../wire/openai/vectors.ts'
import type { Outcome } from './chat.ts'
import { type Fault, problem } from './finding.ts'
import { refusalOf } from './refusal.ts'
import { type ExaminedReplica, placeText } from './replica.ts'

const FLOAT_BYTES = 4

/** Asks for one vector, and looks at it as each of the pool's models would be answered with it. */
export async function askVector(replica: ExaminedReplica, keyFrom: string | undefined): Promise<Outcome> {
  const { pool, promised } = replica
  const request = readEmbeddings(Buffer.from(JSON.stringify({ model: pool.model, input: 'ok' })), 1)
  if ('denial' in request) throw new Error(`the doctor's own question is refused: ${JSON.stringify(request.denial)}`)
  const answer = await replica.post('embedding', request.bodyFor(pool.model, 0))
  const refusal = refusalOf(replica, 'an embedding', answer, keyFrom)
  if (refusal) return { faults: [refusal], notes: [] }

  const size = dimensionsOf(answer.body)
  const first = answer.firstMs === undefined ? {} : { firstMs: answer.firstMs }
  const terms = { backendModel: pool.model, inputTokens: 0, id: '', created: 0 }
  const faults = promised.embeddings
    .filter(model => !isRead(() => request.readAnswer(answer.body, { ...terms, model })))
    .map(model => misfit(replica, model, size))
  return { faults, notes: faults.length > 0 ? [] : [`${size} dimensions`], ...first }
}

/** Vectors of another size are no answer either. */
function isRead(read: () => unknown): boolean {
  try {
    return read() !== undefined
  } catch (error) {
    if (error instanceof VectorSizeError) return false
    throw error
  }
}

function misfit({ pool, host }: ExaminedReplica, model: EmbeddingModel, size: number | undefined): Fault {
  if (size === undefined || size === model.dimensions)
    return problem(
      `${host} answers an embedding with something other than vectors`,
      'Is that the address of an OpenAI-compatible API?',
    )
  const text = `answers ${size} dimensions, but ${model.name} promises ${model.dimensions}`
  return problem(
    text,
    `Its answers are refused. Serve a model with ${model.dimensions} on it: ${placeText(placeOf(pool, 'model'))}`,
  )
}

/** Numbers of the first vector of an answer, also in base64. */
function dimensionsOf(body: Buffer): number | undefined {
  const answer = parse(body.toString('utf8'))
  const [first] = isObject(answer) && Array.isArray(answer.data) ? answer.data : []
  const vector = isObject(first) ? first.embedding : undefined
  if (Array.isArray(vector)) return vector.length
  return typeof vector === 'string' ? Buffer.from(vector, 'base64').length / FLOAT_BYTES : undefined
}
