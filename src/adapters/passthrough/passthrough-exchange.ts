import { type ClientRequest, type IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { createProxyServer, type ServerOptions } from 'http-proxy-3'
import type { Exchange, PassthroughListener, PassthroughRequest } from '../../gateway/ports.ts'

/** Where a request goes, and with what headers. */
export interface Route {
  readonly target: URL
  readonly headers: Readonly<Record<string, string>>
  /** Of connections that are kept; absent for one of its own. */
  readonly agent?: object
}

/** One request under way at http-proxy-3, which passes its events to a listener. */
export class PassthroughExchange implements Exchange {
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
      // Only now, so that a body which can be sent once is still there when no connection comes to stand.
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
    const retryAfter = headers['retry-after']
    answer.on('error', error => this.#failed(error))
    answer.on('data', (bytes: Buffer) => this.#over || this.#listener.data(bytes))
    answer.on('end', () => this.#ended())
    // A backend may die after its headers: node emits `end` only for whole answers.
    answer.on('close', () => this.#failed(new Error('the answer broke off')))
    this.#listener.head({
      status: statusCode,
      contentType: headers['content-type'] ?? '',
      ...(retryAfter !== undefined && { retryAfter }),
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
const SHOWN = ['content-type', 'content-length', 'content-encoding', 'content-language', 'content-disposition'] as const

function clientHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const shown: Record<string, string> = {}
  for (const name of SHOWN) {
    const value = headers[name]
    // Readers do not agree on the encoding of other bytes.
    if (typeof value === 'string' && /^[\t\x20-\x7e]*$/.test(value)) shown[name] = value
  }
  return shown
}
