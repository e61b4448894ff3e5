import type { IncomingMessage } from 'node:http'
import { type Denied, invalid } from '../../policy/denial.ts'
import type { AnyDenial } from '../../wire/errors/codes.ts'
import { MAX_HEADERS, tooManyHeaders } from './malformed.ts'

/**
 * Finds ambiguities that Node's parser accepts and that a proxy could resolve differently: the target of a request, its
 * sender and its end. The gateway refuses such a request and closes the connection.
 */
export function formFault(request: IncomingMessage): Denied<AnyDenial> | undefined {
  const { httpVersion, rawHeaders, headers, url = '' } = request
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return invalid('', `HTTP/${httpVersion} is not supported here.`)
  if (rawHeaders.length > 2 * MAX_HEADERS) return { denial: tooManyHeaders }
  if (!TARGET.test(url)) return invalid('', 'The request line must name a path, such as /v1/models.')
  return repeated(rawHeaders) ?? hostFault(headers.host, httpVersion) ?? framingFault(headers, httpVersion)
}

/** A path and perhaps a query, in ASCII; no other form of RFC 9112 3.2, no fragment, no backslash, no half escape. */
const TARGET = /^\/(?:[!"$&-[\]-~]|%[0-9A-Fa-f]{2})*$/

/** Headers that may occur only once: of two, a proxy in front may have read the other. */
const SINGLE = [
  'host',
  'authorization',
  'x-api-key',
  'api-key',
  'content-type',
  'content-length',
  'content-encoding',
  'transfer-encoding',
]
const LENGTHS: ReadonlySet<number> = new Set(SINGLE.map(({ length }) => length))

function repeated(rawHeaders: readonly string[]): Denied | undefined {
  /** A bit for each header seen. */
  let seen = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const raw = rawHeaders[i] ?? ''
    if (!LENGTHS.has(raw.length)) continue
    const name = raw.toLowerCase()
    // Some proxies and gateways treat both spellings as one header.
    const meant = name.includes('_') ? name.replaceAll('_', '-') : name
    const bit = 1 << (SINGLE.indexOf(meant) + 1)
    if (bit === 1) continue
    if (meant !== name) return invalid(name, `is not accepted; the header is ${meant}`)
    if ((seen & bit) !== 0) return invalid(name, 'is given twice')
    seen |= bit
  }
  return undefined
}

/** A name or an address, and perhaps a port. RFC 3986 3.2 without users and escapes. */
const HOST = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?$/

function hostFault(host: string | undefined, version: string): Denied | undefined {
  // RFC 9112 3.2.
  if (host === undefined) return version === '1.1' ? invalid('host', 'is required') : undefined
  return HOST.test(host) ? undefined : invalid('host', 'must be a host, with an optional port')
}

function framingFault(headers: IncomingMessage['headers'], version: string): Denied<AnyDenial> | undefined {
  const { 'transfer-encoding': transfer, 'content-encoding': coding } = headers
  if (coding !== undefined) return ENCODED
  if (transfer === undefined) return undefined
  if (version === '1.0') return invalid('transfer-encoding', 'is not part of HTTP/1.0')
  return transfer.toLowerCase() === 'chunked' ? undefined : invalid('transfer-encoding', 'must be chunked, alone')
}

const ENCODED: Denied<AnyDenial> = {
  denial: { code: 'UNSUPPORTED_MEDIA_TYPE', accepts: 'it is, without a content-encoding' },
}

/** Whether a request has a body. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
