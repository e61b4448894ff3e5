import type { IncomingHttpHeaders } from 'node:http'

/**
 * What a client may read of a backend's headers: what its body is. Everything else is the backend's own: cookies,
 * request ids, rate limits, servers and caches on the way, and whatever belongs to one connection.
 */
const SHOWN = ['content-type', 'content-length', 'content-encoding', 'content-language', 'content-disposition'] as const

export function clientHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const shown: Record<string, string> = {}
  for (const name of SHOWN) {
    const value = headers[name]
    // The rest of ISO 8859-1 is no text that two readers agree on.
    if (typeof value === 'string' && /^[\t\x20-\x7e]*$/.test(value)) shown[name] = value
  }
  return shown
}
