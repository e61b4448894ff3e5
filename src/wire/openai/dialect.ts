import type { Dialect, InferenceKind, ListedModel } from '../dialect.ts'
import { parse } from '../json-bytes.ts'
import { asObject, isObject, type JsonObject } from '../json-safety.ts'
import { isCount } from '../usage/usage.ts'

/** OpenAI's own form, as vLLM, SGLang and llama.cpp speak it as well: bodies, answers and streams stay as they are. */
export const openai: Dialect = {
  path: ({ kind }) => PATHS[kind],
  leastCap: 1,
  modelsPath: '/models',
  body: (_kind, body) => body,
  answer: (_kind, bytes) => bytes,
  models: modelsIn,
}

const PATHS: Readonly<Record<InferenceKind, string>> = {
  chat: '/chat/completions',
  embedding: '/embeddings',
  image: '/images/generations',
}

function modelsIn(bytes: Buffer): readonly ListedModel[] | undefined {
  const list = parse(bytes.toString('utf8'))
  if (!isObject(list) || !Array.isArray(list.data) || list.has_more === true) return undefined
  return list.data.filter(isObject).map(model => {
    const context = contextOf(model)
    return { id: String(model.id), ...(context !== undefined && { context }) }
  })
}

/** The tokens that a backend takes, where its list tells: vLLM and SGLang, then llama.cpp, then LiteLLM. */
const contextOf = ({ max_model_len, meta, max_input_tokens }: JsonObject): number | undefined =>
  [max_model_len, asObject(meta).n_ctx, max_input_tokens].find(isCount)
