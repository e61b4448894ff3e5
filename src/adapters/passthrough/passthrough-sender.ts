import http from 'node:http'
import https from 'node:https'
import type { BackendSettings } from '../../config/settings.ts'
import { lookupHost } from '../../gateway/descriptors.ts'
import type { PassthroughRequest, SendPassthrough } from '../../gateway/ports.ts'
import { dialectOf } from '../../wire/dialects.ts'
import { PassthroughExchange } from './passthrough-exchange.ts'

/** Sends the requests of pass-through routes of one configuration. */
export interface PassthroughSender {
  readonly sendPassthrough: SendPassthrough
  /** Gives the connections back. To be called once, when no more requests will be sent. */
  close(): void
}

/** How long an idle connection stays open; most servers announce that they close it after 5 s or more. */
const IDLE_MS = 4000

/** Carries requests through http-proxy-3, which copies bytes and never sees what a client sent beside its body. */
export function openPassthroughSender(settings: ReadonlyMap<string, BackendSettings>): PassthroughSender {
  const options = { keepAlive: true, timeout: IDLE_MS, lookup: lookupHost }
  const agents = { 'http:': new http.Agent(options), 'https:': new https.Agent(options) }
  const agentFor = ({ protocol }: URL, { fresh, body }: PassthroughRequest) => {
    // A streamed body can be sent only once: not over a kept connection, which may have died.
    if (fresh || (body && 'upload' in body)) return undefined
    return protocol === 'https:' ? agents['https:'] : agents['http:']
  }
  return {
    sendPassthrough: (request, listener) => {
      const target = targetOf(request)
      const agent = agentFor(target, request)
      const exchange = new PassthroughExchange(listener)
      const headers = headersOf(request, target, settings.get(request.pool))
      // Later, so that no listener is called before the caller has the exchange.
      queueMicrotask(() => exchange.begin(request, { target, headers, ...(agent && { agent }) }))
      return exchange
    },
    close: () => {
      for (const agent of Object.values(agents)) agent.destroy()
    },
  }
}

/** The base URL of the replica and the path of the route, both as the operator wrote them: nothing of it is a client's. */
const targetOf = ({ replica, path }: PassthroughRequest): URL => new URL(`${replica.replace(/\/+$/, '')}${path}`)

/** Our own headers only: nothing a client sent reaches a backend but its body, and what kind of body that is. */
function headersOf(
  { requestId, traceparent, body }: PassthroughRequest,
  { host }: URL,
  settings: BackendSettings | undefined,
): Record<string, string> {
  return {
    host,
    accept: '*/*',
    'x-request-id': requestId,
    ...(traceparent !== undefined && { traceparent }),
    ...(body && { 'content-type': body.contentType, ...lengthOf(body) }),
    ...(settings && dialectOf(settings).headers(settings.key?.reveal())),
  }
}

/** Without a length the body goes out in chunks, as it came. */
function lengthOf(body: NonNullable<PassthroughRequest['body']>): Record<string, string> {
  const length = 'bytes' in body ? body.bytes.length : body.upload.length
  return length === undefined ? { 'transfer-encoding': 'chunked' } : { 'content-length': String(length) }
}
