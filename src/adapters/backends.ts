import { type Dispatcher, Pool } from 'undici'
import type { BackendSettings } from '../config/settings.ts'
import type { BackendListener, BackendRequest, Exchange, Send } from '../gateway/ports.ts'

/** Connections to every replica, kept open between requests. */
export interface Backends {
  readonly send: Send
  /** Cuts what is still under way. */
  close(): Promise<void>
}

/** Speaks HTTP to backends through undici's dispatch: no fetch, no web streams on the way of a request. */
export function openBackends(settings: ReadonlyMap<string, BackendSettings>): Backends {
  const connections = new Map<string, Pool>()

  const connectionsTo = (origin: string, pool: string): Pool => {
    const key = `${pool} ${origin}`
    let open = connections.get(key)
    if (!open) {
      // undici's own timers are coarse, so the attempt keeps time; only a socket that never connects is left to it.
      const connect = { timeout: settings.get(pool)?.connectTimeout ?? 1000 }
      open = new Pool(origin, { headersTimeout: 0, bodyTimeout: 0, connect })
      connections.set(key, open)
    }
    return open
  }

  return {
    send: (request, listener) => {
      const { origin, pathname } = new URL(request.replica)
      const exchange = new UndiciExchange(listener)
      const options: Dispatcher.DispatchOptions = {
        method: 'POST',
        path: `${pathname.replace(/\/$/, '')}${request.path}`,
        headers: headersOf(request, settings.get(request.pool)),
        body: request.body,
      }
      // Later, so that no listener is called before the caller has the exchange.
      queueMicrotask(() => dispatch(connectionsTo(origin, request.pool), options, exchange))
      return exchange
    },
    close: async () => {
      await Promise.all([...connections.values()].map(pool => pool.destroy()))
    },
  }
}

function dispatch(pool: Pool, options: Dispatcher.DispatchOptions, exchange: UndiciExchange): void {
  try {
    pool.dispatch(options, exchange)
  } catch (error) {
    exchange.onResponseError(undefined, error instanceof Error ? error : new Error(String(error)))
  }
}

/** Our own headers only: nothing a client sent reaches a backend but its body. */
function headersOf({ requestId }: BackendRequest, settings: BackendSettings | undefined): Record<string, string> {
  return {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'x-request-id': requestId,
    ...(settings?.key && { authorization: `Bearer ${settings.key.reveal()}` }),
  }
}

/** One request under way at undici, told to a listener. */
class UndiciExchange implements Exchange, Dispatcher.DispatchHandler {
  readonly #listener: BackendListener
  #controller: Dispatcher.DispatchController | undefined
  #over = false

  constructor(listener: BackendListener) {
    this.#listener = listener
  }

  pause(): void {
    if (!this.#over) this.#controller?.pause()
  }

  resume(): void {
    if (!this.#over) this.#controller?.resume()
  }

  abort(): void {
    if (this.#over) return
    this.#over = true
    this.#controller?.abort(new Error('aborted by the gateway'))
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    // It was given up while it waited for a connection.
    if (this.#over) controller.abort(new Error('aborted by the gateway'))
    else this.#listener.connected()
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status >= 200 && !this.#over) this.#listener.head(status, String(headers['content-type'] ?? ''))
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.#over) this.#listener.data(chunk)
  }

  onResponseEnd(): void {
    if (this.#over) return
    this.#over = true
    this.#listener.end()
  }

  onResponseError(_: Dispatcher.DispatchController | undefined, error: Error): void {
    if (this.#over) return
    this.#over = true
    this.#listener.failed(error)
  }
}
