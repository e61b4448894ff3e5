import type { Loaded } from '../config/settings.ts'
import type { Kind } from '../policy/config.ts'
import type { Denied } from '../policy/denial.ts'
import type { Caller, InferenceRequest } from '../policy/facts.ts'
import { CLIENT_DIALECT_NAMES, dialectAt, dialectPath, isDialectPath } from '../wire/client-dialects.ts'
import { clientTerms, readClientRequest } from '../wire/client-request.ts'
import { parseDialect } from '../wire/openai/body.ts'
import { readChat } from '../wire/openai/chat.ts'
import { readEmbeddings } from '../wire/openai/embeddings.ts'
import { readImages } from '../wire/openai/images.ts'
import type { WireRequest } from '../wire/openai/request.ts'
import type { Case } from './file.ts'

/** Where requests are served by models, as files of tests name it. */
export type Path = NonNullable<NonNullable<Case['request']>['path']>

export const PATHS: readonly [Path, ...Path[]] = [
  '/v1/chat/completions',
  ...CLIENT_DIALECT_NAMES.map(dialectPath),
  '/v1/embeddings',
  '/v1/images/generations',
]

export const isPath = (text: string): text is Path => PATHS.some(path => path === text)

/** Kinds of requests that files and command lines can describe. */
export type CaseKind = Exclude<Kind, 'passthrough'>

export const pathOf: Readonly<Record<CaseKind, Path>> = {
  chat: '/v1/chat/completions',
  embedding: '/v1/embeddings',
  image: '/v1/images/generations',
}

/** Where a request came to that was decided on. */
export function pathAsked(request: InferenceRequest): string {
  if (request.kind === 'passthrough') return request.path
  return request.kind === 'chat' && request.dialect ? dialectPath(request.dialect) : pathOf[request.kind]
}

/** Reads a body of a caller as the endpoint does. */
export function readAt(
  path: Path,
  bytes: Buffer,
  { config, settings }: Pick<Loaded, 'config' | 'settings'>,
  caller: Caller,
): WireRequest | Denied {
  const { brand, limits } = settings
  if (bytes.length > limits.bodyBytes) return { denial: { code: 'PAYLOAD_TOO_LARGE', limitBytes: limits.bodyBytes } }
  if (isDialectPath(path)) {
    const parsed = parseDialect(bytes)
    if ('denial' in parsed) return parsed
    return readClientRequest(dialectAt(path), parsed, clientTerms(config, brand, caller))
  }
  switch (path) {
    case '/v1/chat/completions':
      return readChat(bytes, { brand, declared: config.tools }, config.declared.chat)
    case '/v1/embeddings':
      return readEmbeddings(bytes, limits.embeddingBatch, config.declared.embedding)
    case '/v1/images/generations':
      return readImages(bytes, config.declared.image)
  }
}

/** The parts of the shortest request of a kind. */
export interface Short {
  readonly kind: CaseKind
  readonly text: string
  readonly model?: string
  readonly maxTokens?: number
  readonly stream?: boolean
  /** Hosted tools of a chat. */
  readonly tools?: readonly string[]
}

/** The body of the shortest request that says a text. */
export function shortBody({ kind, text, model, maxTokens, stream, tools }: Short): Buffer {
  const said = {
    chat: { messages: [{ role: 'user', content: text }] },
    embedding: { input: text },
    image: { prompt: text },
  }[kind]
  const body = {
    ...(model !== undefined && { model }),
    ...said,
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
    ...(stream !== undefined && { stream }),
    ...(tools && { tools: tools.map(name => ({ type: 'hosted', name })) }),
  }
  return Buffer.from(JSON.stringify(body))
}
