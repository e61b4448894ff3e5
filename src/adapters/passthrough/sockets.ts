import type { ClientRequest, IncomingMessage } from 'node:http'
import { WebSocket, WebSocketServer } from 'ws'
import type { BackendSettings } from '../../config/settings.ts'
import { lookupHost } from '../../gateway/descriptors.ts'
import { poolHeaders, withQuery } from '../../gateway/pools/headers.ts'
import type {
  AcceptedSocket,
  BackendListener,
  Exchange,
  Peer,
  SocketHead,
  SocketRequest,
  Sockets,
} from '../../gateway/ports.ts'
import { retryHeadersOf } from '../../wire/retry-after.ts'
import { WsPeer } from './ws-peer.ts'

/** The WebSockets of one configuration. */
export const openSockets = (settings: ReadonlyMap<string, BackendSettings>): Sockets => ({
  open: (request, listener) => {
    const opening = new Opening(listener)
    // Later, so that no listener is called before the caller has the exchange.
    queueMicrotask(() => opening.begin(request, settings.get(request.pool) ?? {}))
    return opening
  },
  accept,
})

/** A backend that does not answer a goodbye is left after as long, and a client that has not read all that it was sent. */
const CLOSE_TIMEOUT = { backend: 1000, client: 10_000 }
/** A sender may split a message into this many pieces. */
const MAX_FRAGMENTS = 1024
/** The least size of a large message's piece that arrives alone: each of them takes as much room beside it. */
const LEAST_CHUNK = 256

/** Compressed messages could not be bounded before they are read, nor their usage be read where one side inflates them. */
const boundsOf = (maxMessage: number, closeTimeout: number) => ({
  perMessageDeflate: false,
  autoPong: false,
  // One message in a turn of the event loop: thousands of empty ones in one packet must not hold it.
  allowSynchronousEvents: false,
  maxPayload: maxMessage,
  maxFragments: MAX_FRAGMENTS,
  maxBufferedChunks: MAX_FRAGMENTS + Math.ceil(maxMessage / LEAST_CHUNK),
  closeTimeout,
})

function accept(request: IncomingMessage, accepted: AcceptedSocket): Peer | undefined {
  const { socket, early, headers, protocol, maxMessage } = accepted
  const server = new WebSocketServer({
    ...boundsOf(maxMessage, CLOSE_TIMEOUT.client),
    noServer: true,
    clientTracking: false,
  })
  // The one that the backend chose, of those that were passed on to it.
  delete request.headers['sec-websocket-protocol']
  const chosen = protocol === undefined ? [] : [`sec-websocket-protocol: ${protocol}`]
  server.on('headers', (lines: string[]) => lines.push(...chosen, ...headers))
  let peer: Peer | undefined
  // At once, unless the connection is gone.
  server.handleUpgrade(request, socket, early, ws => {
    peer = new WsPeer(ws)
  })
  return peer
}

/** One socket at a replica, until it is open. */
class Opening implements Exchange {
  readonly #listener: BackendListener<SocketHead>
  #ws: WebSocket | undefined
  #peer: Peer | undefined
  #answer: IncomingMessage | undefined
  #isOver = false

  constructor(listener: BackendListener<SocketHead>) {
    this.#listener = listener
  }

  begin(request: SocketRequest, settings: Partial<BackendSettings>): void {
    if (this.#isOver) return
    try {
      this.#open(request, settings)
    } catch (error) {
      this.#failed(error instanceof Error ? error : new Error(String(error)))
    }
  }

  pause(): void {
    this.#peer?.pause()
    this.#answer?.pause()
  }

  resume(): void {
    this.#peer?.resume()
    this.#answer?.resume()
  }

  abort(): void {
    this.#isOver = true
    this.#answer?.destroy()
    if (this.#peer) this.#peer.destroy()
    else this.#ws?.terminate()
  }

  #open(request: SocketRequest, settings: Partial<BackendSettings>): void {
    const { requestId, traceparent, protocols, maxMessage } = request
    const ws = new WebSocket(targetOf(request, settings), protocols, {
      ...boundsOf(maxMessage, CLOSE_TIMEOUT.backend),
      lookup: lookupHost,
      // Our own headers only: nothing of the client's reaches a backend but what it says over the socket.
      headers: {
        'x-request-id': requestId,
        ...(traceparent !== undefined && { traceparent }),
        ...poolHeaders(settings),
      },
      finishRequest: sent => {
        this.#watch(sent)
        sent.end()
      },
    })
    this.#ws = ws
    const peer = new WsPeer(ws)
    ws.once('open', () => {
      if (this.#isOver) return ws.terminate()
      peer.pause()
      this.#peer = peer
      this.#listener.head({ status: 101, contentType: '', peer })
    })
    ws.once('unexpected-response', (_sent: ClientRequest, answer: IncomingMessage) => this.#refused(answer))
    ws.on('error', (error: Error) => this.#peer || this.#failed(error))
  }

  #watch(sent: ClientRequest): void {
    sent.once('socket', socket => {
      const connected = () => this.#isOver || this.#listener.connected()
      if (!socket.connecting) connected()
      else socket.once('encrypted' in socket ? 'secureConnect' : 'connect', connected)
    })
  }

  #refused(answer: IncomingMessage): void {
    if (this.#isOver) return void answer.destroy()
    this.#answer = answer
    const { statusCode = 0, headers } = answer
    const { 'content-type': contentType = '' } = headers
    const retry = retryHeadersOf(headers)
    answer.on('error', error => this.#failed(error))
    answer.on('data', (bytes: Buffer) => this.#isOver || this.#listener.data(bytes))
    answer.on('end', () => {
      if (this.#isOver) return
      this.#isOver = true
      answer.destroy()
      this.#listener.end()
    })
    answer.on('close', () => this.#failed(new Error('the answer broke off')))
    this.#listener.head({ status: statusCode, contentType, ...(retry && { retry }) })
  }

  #failed(error: Error): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#answer?.destroy()
    this.#listener.failed(error, false)
  }
}

/** The base URL of the replica, the path of the route, the query and the model of the pool: nothing of it is a client's. */
function targetOf({ replica, path, model }: SocketRequest, settings: Partial<BackendSettings>): URL {
  const target = new URL(withQuery(`${replica.replace(/\/+$/, '')}${path}`, settings))
  target.searchParams.set('model', model)
  return target
}
