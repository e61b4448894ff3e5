import type { IncomingHttpHeaders } from 'node:http'

/**
 * The headers of a backend that a client gets: those that describe the body. All others are the backend's own: cookies,
 * request ids, rate limits, servers and caches on the way, and the headers of one connection.
 */
const SHOWN = ['content-type', 'content-length', 'content-encoding', 'content-language', 'content-disposition'] as const

export function clientHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const shown: Record<string, string> = {}
  for (const name of SHOWN) {
    const value = headers[name]
    // Readers do not agree on the encoding of other bytes.
    if (typeof value === 'string' && /^[\t\x20-\x7e]*$/.test(value)) shown[name] = value
  }
  return shown
}
