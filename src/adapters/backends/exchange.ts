import type { Dispatcher } from 'undici'
import type { BackendHead, BackendListener, Exchange, Probe } from '../../gateway/ports.ts'
import type { Mutable } from '../../policy/decision.ts'
import { retryHeadersOf } from '../../wire/retry-after.ts'
import type { Connection, Connections, TrackedOptions } from './connections.ts'
import { DecodedBody } from './decoded-body.ts'

/** Sends a request over connections. The exchange gets all events, also the failure to send. */
export function dispatch(dispatcher: Dispatcher, options: TrackedOptions, exchange: UndiciExchange): void {
  try {
    dispatcher.dispatch(options, exchange)
  } catch (error) {
    exchange.onResponseError(undefined, error instanceof Error ? error : new Error(String(error)))
  }
}

/** One running request at undici, which passes its events to a listener. */
export class UndiciExchange implements Exchange, Dispatcher.DispatchHandler {
  readonly #listener: BackendListener
  #controller: Dispatcher.DispatchController | undefined
  #connection: Connection | undefined
  /** Bytes that earlier requests read from the socket, if it was kept open from them. */
  #readBefore = 0
  #headed = false
  #over = false
  /** Set for a body with an encoding. */
  #decoded: DecodedBody | undefined
  /** Whether all of the body has come, decoded or not. */
  #received = false

  constructor(listener: BackendListener) {
    this.#listener = listener
  }

  over(connection: Connection): void {
    this.#connection = connection
  }

  pause(): void {
    if (this.#over) return
    if (this.#decoded) this.#decoded.pause()
    else this.#controller?.pause()
  }

  resume(): void {
    if (this.#over) return
    if (this.#decoded) this.#decoded.resume()
    else this.#controller?.resume()
  }

  abort(): void {
    if (this.#over) return
    this.#over = true
    this.#decoded?.drop()
    if (!this.#received) this.#controller?.abort(new Error('aborted by the gateway'))
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    this.#readBefore = this.#connection?.bytesRead ?? 0
    // The request was aborted while it waited for a connection.
    if (this.#over) controller.abort(new Error('aborted by the gateway'))
    else this.#listener.connected()
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    // The raw headers are slices of the first 64 KB, all of which would stay in memory as long as the exchange.
    controller.rawHeaders = null
    if (status < 200 || this.#over) return
    this.#headed = true
    const { date } = headers
    const head: Mutable<BackendHead> = { status, contentType: String(headers['content-type'] ?? '') }
    const retry = status >= 400 ? retryHeadersOf(headers) : undefined
    if (retry) head.retry = retry
    if (typeof date === 'string') head.date = date
    if (headers['content-encoding'] !== undefined) this.#decode(headers['content-encoding'])
    this.#listener.head(head)
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#over) return
    if (!this.#decoded) this.#listener.data(chunk)
    else if (!this.#decoded.write(chunk)) controller.pause()
  }

  onResponseEnd(): void {
    this.#received = true
    if (this.#decoded) this.#decoded.end()
    else this.#end()
  }

  #end(): void {
    if (this.#over) return
    this.#over = true
    this.#listener.end()
  }

  #decode(encoding: unknown): void {
    this.#decoded = DecodedBody.of(encoding, {
      data: bytes => this.#over || this.#listener.data(bytes),
      end: () => this.#end(),
      failed: error => {
        if (this.#over) return
        this.abort()
        this.#listener.failed(error, false)
      },
      drain: () => this.#over || this.#received || this.#controller?.resume(),
    })
  }

  onResponseError(_: Dispatcher.DispatchController | undefined, error: Error): void {
    if (this.#over) return
    this.#over = true
    this.#decoded?.drop()
    // The keep-alive of the connection ended while the request was on its way: the backend has not read it.
    const stale = !this.#headed && this.#readBefore > 0 && this.#connection?.bytesRead === this.#readBefore
    this.#listener.failed(error, stale)
  }
}

/** Probes replicas over the connections that requests take, so that a probe meets the same conditions. */
export const probeOver =
  (connections: Connections): Probe =>
  ({ origin, path, headers, connectTimeout, fresh }, listener) => {
    const exchange = new UndiciExchange(listener)
    const options: TrackedOptions = {
      method: 'GET',
      path,
      headers: { accept: '*/*', ...headers },
      over: connection => exchange.over(connection),
    }
    // Later, so that no listener is called before the caller has the exchange.
    queueMicrotask(() => {
      if (fresh)
        return connections.once({ origin, connectTimeout }, connection => dispatch(connection, options, exchange))
      const { pool, giveBack } = connections.to({ origin, connectTimeout })
      dispatch(pool, options, exchange)
      // The probe ends even where no other request needs these connections.
      giveBack()
    })
    return exchange
  }
