import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { ListenerSettings } from '../../config/settings.ts'
import type { Millis } from '../../policy/config.ts'
import { MAX_HEADER_BYTES, MAX_HEADERS } from './malformed.ts'
import { SpareDescriptor } from './spare-descriptor.ts'

/** How often node looks for requests that take too long. Its own is 30 s: a timeout of 10 s would fire after up to 40. */
const CHECK_EVERY: Millis = 1000

/** The kernel buffers megabytes and does not report when some are read: a slow reader looks like none for a while. */
const SILENCES = 4

/** What a listener does beside serving. */
export interface ListenerEvents {
  /** What arrived is no request, took too long, or broke the connection. */
  readonly broken: (error: NodeJS.ErrnoException, socket: Duplex) => void
  /** A client asks for a tunnel. */
  readonly tunnel: (socket: Duplex) => void
  /** False when the connection may not stay. */
  readonly connected: (socket: Socket) => boolean
  /** Whether a connection stands between two requests. */
  readonly idle: (socket: Socket) => boolean
  /** There were as many connections as there may be, and one more came. */
  readonly full: () => void
}

/** A server of node's that closes what node would leave open. */
export function createListener(
  settings: () => ListenerSettings,
  listener: RequestListener,
  events: ListenerEvents,
): Server {
  // Node would refuse a missing Host in a form that is not ours, and any expectation but 100-continue.
  const server = createServer(
    { requireHostHeader: false, maxHeaderSize: MAX_HEADER_BYTES, connectionsCheckingInterval: CHECK_EVERY },
    listener,
  )
  server.maxHeadersCount = MAX_HEADERS + 1
  const spare = new SpareDescriptor()
  const silent = new WeakMap<Socket, number>()
  let applied: ListenerSettings | undefined
  /** What a reload changed takes effect with the next connection, for all of them. */
  const apply = () => {
    const now = settings()
    if (now === applied) return
    applied = now
    applyLimits(server, now)
  }
  apply()
  return server
    .on('checkExpectation', listener)
    .on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
      // A client that sent `Expect: 100-continue` gets the 100 when its body is first read: a refusal comes before.
      request.once('resume', () => response.headersSent || response.writeContinue())
      listener(request, response)
    })
    .on('clientError', events.broken)
    .on('connect', (_request, socket) => {
      // From here on node does not handle its errors.
      socket.on('error', () => {})
      events.tunnel(socket)
    })
    .on('listening', () => spare.take())
    .on('close', () => spare.giveAway())
    .on('error', () => {
      // Before it listens, the caller of `listen` gets the error; later it is a failed `accept`, which ends nothing.
      if (server.listening) spare.giveAway()
    })
    .on('connection', (socket: Socket) => {
      if (spare.isGivenAway) spare.take()
      if (spare.isGivenAway) {
        socket.destroy()
        return spare.take()
      }
      apply()
      socket.setTimeout(settings().idleTimeout)
      if (!events.connected(socket)) socket.destroy()
    })
    .on('drop', () => {
      apply()
      events.full()
    })
    .on('timeout', (socket: Socket) => {
      // Where bytes wait to be read it is the client that is silent; else it waits for us, or is node's to call late.
      const silences = socket.writableLength > 0 ? (silent.get(socket) ?? 0) + 1 : 0
      silent.set(socket, silences)
      if (events.idle(socket) || silences >= SILENCES) socket.destroy()
      else socket.setTimeout(settings().idleTimeout)
    })
}

/** Holds from now on, also for connections that stand. */
function applyLimits(server: Server, settings: ListenerSettings): void {
  server.headersTimeout = settings.headersTimeout
  server.requestTimeout = settings.requestTimeout
  server.keepAliveTimeout = settings.idleTimeout
  server.timeout = settings.idleTimeout
  server.maxConnections = settings.connections
}
