import type { IncomingHttpHeaders } from 'node:http'
import { type Denied, invalid } from '../../policy/denial.ts'

/** A request for a WebSocket, besides its path and its key. */
export interface SocketRequest {
  /** As the query names it. */
  readonly model?: string
  /** Subprotocols, one of which is used. */
  readonly protocols: readonly string[]
}

/** Reads a request for a WebSocket, RFC 6455 4.2.1; or what is wrong with it. */
export function readSocketRequest({
  url = '',
  headers,
}: {
  readonly url?: string | undefined
  readonly headers: IncomingHttpHeaders
}): SocketRequest | Denied {
  if (!KEY.test(headers['sec-websocket-key'] ?? '')) return invalid('sec-websocket-key', 'must be 16 bytes in base64')
  if (headers['sec-websocket-version'] !== '13') return invalid('sec-websocket-version', 'must be 13')
  const protocols = protocolsIn(headers['sec-websocket-protocol'])
  if (!protocols) return invalid('sec-websocket-protocol', 'must be different names, at most 16, of 64 characters each')
  const query = new URLSearchParams(url.slice(url.indexOf('?') + 1))
  const [model, ...more] = url.includes('?') ? [...query] : []
  if (!model) return { protocols }
  if (more.length > 0 || model[0] !== 'model') return invalid('query', 'may only have `model`, once')
  if (model[1] === '' || model[1].length > 256) return invalid('model', 'must be a text of at most 256 characters')
  return { protocols, model: model[1] }
}

const KEY = /^[+/0-9A-Za-z]{22}==$/
/** A token of RFC 9110 5.6.2. */
const PROTOCOL = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/
/**
 * Browsers cannot send a header: some SDKs put the key here, which is none of the backend's business; and whose project at a
 * provider pays is the operator's to say.
 */
const WITH_A_KEY = /^(?:openai-insecure-api-key|openai-organization|openai-project|bearer|authorization)\./i

function protocolsIn(header: string | undefined): readonly string[] | undefined {
  const named = header === undefined ? [] : header.split(',').map(name => name.trim())
  const protocols = named.filter(name => !WITH_A_KEY.test(name))
  const isSound = new Set(protocols).size === protocols.length && protocols.every(name => PROTOCOL.test(name))
  return isSound && protocols.length <= 16 ? protocols : undefined
}
