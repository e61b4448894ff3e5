import http, { type ClientRequest, type IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import https from 'node:https'
import { Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { createProxyServer, type ServerOptions } from 'http-proxy-3'
import type { BackendSettings } from '../../config/settings.ts'
import { lookupHost } from '../../gateway/descriptors.ts'
import { poolHeaders, withQuery } from '../../gateway/pools/headers.ts'
import type { Exchange, PassthroughListener, PassthroughRequest, SendPassthrough } from '../../gateway/ports.ts'
import { HEADER_GROUPS } from '../../wire/response-headers.ts'
import { retryHeadersOf } from '../../wire/retry-after.ts'

/** Sends the requests of pass-through routes of one configuration. */
export interface PassthroughSender {
  readonly sendPassthrough: SendPassthrough
  /** Closes the connections. Call it once, after the last request. */
  close(): void
}

/** How long an idle connection stays open; most servers announce that they close it after 5 s or more. */
const IDLE_MS = 4000

/** Forwards requests through http-proxy-3, which copies bytes and never sees what a client sent beside its body. */
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
      const own: Partial<BackendSettings> = settings.get(request.pool) ?? {}
      const target = targetOf(request, own)
      const agent = agentFor(target, request)
      const exchange = new PassthroughExchange(listener)
      const headers = headersOf(request, target, own)
      // Later, so that no listener is called before the caller has the exchange.
      queueMicrotask(() => exchange.begin(request, { target, headers, ...(agent && { agent }) }))
      return exchange
    },
    close: () => {
      for (const agent of Object.values(agents)) agent.destroy()
    },
  }
}

/** The base URL of the replica, the path of the route and the query of the pool, as the operator wrote them: nothing of it is a client's. */
const targetOf = ({ replica, path }: PassthroughRequest, settings: Partial<BackendSettings>): URL =>
  new URL(withQuery(`${replica.replace(/\/+$/, '')}${path}`, settings))

/** Our own headers only: nothing a client sent reaches a backend but its body, and what kind of body that is. */
function headersOf(
  { requestId, traceparent, body }: PassthroughRequest,
  { host }: URL,
  settings: Partial<BackendSettings>,
): Record<string, string> {
  return {
    host,
    accept: '*/*',
    'accept-encoding': 'identity',
    'x-request-id': requestId,
    ...(traceparent !== undefined && { traceparent }),
    ...(body && { 'content-type': body.contentType, ...lengthOf(body) }),
    ...poolHeaders(settings),
  }
}

/** Without a length the body goes out in chunks, as it came. */
function lengthOf(body: NonNullable<PassthroughRequest['body']>): Record<string, string> {
  const length = 'bytes' in body ? body.bytes.length : body.upload.length
  return length === undefined ? { 'transfer-encoding': 'chunked' } : { 'content-length': String(length) }
}

/** Where a request goes, and with what headers. */
export interface Route {
  readonly target: URL
  readonly headers: Readonly<Record<string, string>>
  /** The agent whose connections are kept; absent for a connection of its own. */
  readonly agent?: object
}

/** One running request at http-proxy-3, which passes its events to a listener. */
class PassthroughExchange implements Exchange {
  readonly #listener: PassthroughListener
  /** Stand-ins for the client's request and its answer, which http-proxy-3 needs: they have nothing from the client. */
  readonly #request = new IncomingMessage(new Socket())
  readonly #response = new ServerResponse(this.#request)
  readonly #body = new PassThrough()
  #sent: ClientRequest | undefined
  #answer: IncomingMessage | undefined
  #over = false

  constructor(listener: PassthroughListener) {
    this.#listener = listener
  }

  begin(request: PassthroughRequest, { target, headers, agent }: Route): void {
    if (this.#over) return
    this.#request.method = request.method
    this.#request.url = '/'
    this.#request.headers = { ...headers }
    const options: ServerOptions = {
      target,
      ignorePath: true,
      selfHandleResponse: true,
      buffer: this.#body,
      ...(agent && { agent }),
    }
    const proxy = createProxyServer(options)
    proxy.on('proxyReq', (sent, _request, _response, _options, socket) => this.#began(request, sent, socket))
    proxy.on('proxyRes', answer => this.#answered(answer))
    // The sender of the body reports where it breaks off.
    this.#body.on('error', () => {})
    try {
      proxy.web(this.#request, this.#response, options, error => this.#failed(error))
    } catch (error) {
      this.#failed(error instanceof Error ? error : new Error(String(error)))
    }
  }

  pause(): void {
    this.#answer?.pause()
  }

  resume(): void {
    this.#answer?.resume()
  }

  abort(): void {
    if (this.#over) return
    this.#over = true
    this.#close()
  }

  /** The request has a connection, which may not be established yet. */
  #began({ body }: PassthroughRequest, sent: ClientRequest, socket: Socket): void {
    this.#sent = sent
    const connected = () => {
      if (this.#over) return
      this.#listener.connected()
      // Only now, so that a body which can be sent once is intact if no connection is established.
      if (!body) this.#body.end()
      else if ('bytes' in body) this.#body.end(body.bytes)
      else body.upload.into(this.#body)
    }
    if (sent.reusedSocket || !socket.connecting) connected()
    else socket.once('encrypted' in socket ? 'secureConnect' : 'connect', connected)
  }

  #answered(answer: IncomingMessage): void {
    if (this.#over) return void answer.destroy()
    this.#answer = answer
    const { statusCode = 0, headers } = answer
    const retry = statusCode >= 400 ? retryHeadersOf(headers) : undefined
    answer.on('error', error => this.#failed(error))
    answer.on('data', (bytes: Buffer) => this.#over || this.#listener.data(bytes))
    answer.on('end', () => this.#ended())
    // A backend may die after its headers: node emits `end` only for whole answers.
    answer.on('close', () => this.#failed(new Error('the answer broke off')))
    this.#listener.head({
      status: statusCode,
      contentType: headers['content-type'] ?? '',
      ...(retry && { retry }),
      headers: clientHeaders(headers),
    })
  }

  #ended(): void {
    if (this.#over) return
    this.#over = true
    // A backend that answered before it had read the whole body gets no more of it.
    if (!this.#sent?.writableFinished) this.#close()
    this.#listener.end()
  }

  #failed(error: Error): void {
    if (this.#over) return
    this.#over = true
    // The keep-alive of the connection ended while the request was on its way.
    const stale = !this.#answer && this.#sent?.reusedSocket === true && 'code' in error && isReset(error.code)
    this.#close()
    this.#listener.failed(error, stale)
  }

  /** http-proxy-3 destroys its request when what it takes for the answer is closed before its end. */
  #close(): void {
    this.#response.emit('close')
    this.#answer?.destroy()
    this.#body.destroy()
  }
}

const isReset = (code: unknown): boolean => code === 'ECONNRESET' || code === 'EPIPE'

/**
 * The headers of a backend that a client gets: those that describe the body. All others are the backend's own: cookies,
 * request ids, rate limits, servers and caches on the way, and the headers of one connection.
 */
const SHOWN = {
  'content-type': HEADER_GROUPS.every['content-type'],
  'content-length': HEADER_GROUPS.every['content-length'],
  ...HEADER_GROUPS.encoded,
  ...HEADER_GROUPS.passed,
}

function clientHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const shown: Record<string, string> = {}
  for (const [name, most] of Object.entries(SHOWN)) {
    const value = headers[name]
    // Readers do not agree on the encoding of other bytes, and a part of a value may mean something else.
    if (typeof value === 'string' && value.length <= most && /^[\t\x20-\x7e]*$/.test(value)) shown[name] = value
  }
  return shown
}
