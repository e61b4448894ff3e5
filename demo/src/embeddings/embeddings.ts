import { setImmediate as breath } from 'node:timers/promises'
import { type Call, jsonBody, refuse, refuseInvalid, refuseModel, send } from '../call.ts'
import { isInvalid } from '../json.ts'
import { countTokens } from '../tokens.ts'
import type { Embedder } from './embedder.ts'
import { type EmbeddingRequest, parseEmbeddingRequest } from './request.ts'
import { base64, padded } from './vector.ts'

/** POST /v1/embeddings. */
export async function embeddings(call: Call): Promise<void> {
  const { options, response } = call
  const body = await jsonBody(call)
  if (body === undefined) return
  const request = parseEmbeddingRequest(body)
  if (isInvalid(request)) return refuseInvalid(response, request)
  if (!options.embeddings?.models.includes(request.model)) return refuseModel(response, request.model)

  const { embedder } = options.embeddings
  try {
    const vectors = await vectorsOf(request.inputs, embedder, () => response.destroyed)
    send(response, 200, embeddingList(request, vectors), embedder.name)
  } catch (error) {
    console.error(error)
    refuse(response, 503, 'model_unavailable', 'the embedding model of this demo failed; its log says why')
  }
}

/** Texts in one run of the model: fewer are slower, more keep all others waiting. */
const BATCH = 16

/** The vectors of all texts, or of as many as were wanted. */
async function vectorsOf(
  texts: readonly string[],
  embedder: Embedder,
  left: () => boolean,
): Promise<readonly (readonly number[])[]> {
  const vectors: (readonly number[])[] = []
  for (let at = 0; at < texts.length && !left(); at += BATCH) {
    vectors.push(...(await embedder.embed(texts.slice(at, at + BATCH))))
    // The model never lets go of the thread by itself, and /health must answer.
    await breath()
  }
  return vectors.map(padded)
}

function embeddingList({ model, inputs, encoding }: EmbeddingRequest, vectors: readonly (readonly number[])[]): object {
  const tokens = inputs.reduce((total, input) => total + countTokens(input), 0)
  const data = vectors.map((vector, index) => ({
    object: 'embedding',
    index,
    embedding: encoding === 'base64' ? base64(vector) : vector,
  }))
  return { object: 'list', data, model, usage: { prompt_tokens: tokens, total_tokens: tokens } }
}
