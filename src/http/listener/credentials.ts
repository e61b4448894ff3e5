import type { IncomingHttpHeaders } from 'node:http'
import type { HttpCall } from './call.ts'

/** Headers in which clients of other services send a key: Anthropic's SDKs the first, Azure's the second. */
const KEY_HEADERS = ['x-api-key', 'api-key'] as const

/** They stand in `vary`, since a cache keeps answers to `authorization` for its sender, and knows nothing of these. */
const KEY_HEADERS_VARY = KEY_HEADERS.join(', ')

export interface Credential {
  /** In the form of an Authorization header. */
  readonly authorization: string | undefined
  readonly isFromKeyHeader: boolean
}

/** A client's credential, from whichever header. Where there are two, Authorization holds, and below /v1/messages the key header. */
export function credentialOf(path: string, headers: IncomingHttpHeaders): Credential {
  const { authorization } = headers
  const key = KEY_HEADERS.map(name => headers[name]).find(value => typeof value === 'string' && value !== '')
  if (key === undefined || (authorization && !PREFERS_KEY.test(path))) return { authorization, isFromKeyHeader: false }
  return { authorization: `Bearer ${key}`, isFromKeyHeader: true }
}

/** Anthropic's SDKs send both where a user has set both, and mean the key. */
const PREFERS_KEY = /^\/v1\/messages(?:\/|$)/

/** Reads the client's credential from a call. */
export function clientCredential(call: HttpCall): string | undefined {
  const { authorization, isFromKeyHeader } = credentialOf(call.path, call.request.headers)
  if (isFromKeyHeader && call.request.method === 'GET') call.varies(KEY_HEADERS_VARY)
  return authorization
}
