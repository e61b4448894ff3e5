import type { Dialect, InferenceKind, ListedModel } from '../dialect.ts'
import { parse } from '../json-bytes.ts'
import { isObject } from '../json-safety.ts'
import { isCount } from '../usage/usage.ts'

/** OpenAI's own form, as vLLM, SGLang and llama.cpp speak it as well: bodies, answers and streams stay as they are. */
export const openai: Dialect = {
  path: kind => PATHS[kind],
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
  // vLLM and SGLang list how many tokens they take.
  return list.data
    .filter(isObject)
    .map(({ id, max_model_len: context }) => ({ id: String(id), ...(isCount(context) && { context }) }))
}
