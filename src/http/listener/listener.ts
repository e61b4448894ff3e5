import { createServer, IncomingMessage, type RequestListener, type Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { ListenerSettings } from '../../config/settings.ts'
import type { Millis } from '../../policy/config.ts'
import { MAX_HEADER_BYTES, MAX_HEADERS } from './malformed.ts'
import { createSecureServer, hasShakenHands, type SecureServer, type TlsTerms } from './secure.ts'
import { SpareDescriptor } from './spare-descriptor.ts'
import { Upgrade } from './upgrade.ts'

/** How often node looks for late requests, at least. With Node's own 30 s, a timeout of 10 s would fire after up to 40. */
const CHECK_EVERY: Millis = 1000

/** The kernel buffers megabytes and does not report when some are read: a slow reader looks like none for a while. */
const SILENCES = 4

/** The events of a listener beside serving. */
export interface ListenerEvents {
  /** A client's bytes are no request, took too long, or broke the connection. */
  readonly broken: (error: NodeJS.ErrnoException, socket: Duplex) => void
  /** Whether a request opens a WebSocket where there is one. Any other protocol is asked for in vain, as without this. */
  readonly upgrades: (request: IncomingMessage) => boolean
  /** Serves such a request; `early` is what came behind it. Its connection ends with its answer. */
  readonly upgraded: (request: IncomingMessage, response: ServerResponse, upgrade: Upgrade) => void
  /** A client asks for a tunnel. */
  readonly tunnel: (socket: Duplex) => void
  /** False when the connection may not stay. */
  readonly connected: (socket: Socket) => boolean
  /** Whether a connection stands between two requests. */
  readonly idle: (socket: Socket) => boolean
  /** There were as many connections as there may be, and one more came. */
  readonly full: () => void
}

/** A server of node's that closes what node would leave open; with TLS where there are terms of it. */
export function createListener(
  settings: () => ListenerSettings,
  listener: RequestListener,
  events: ListenerEvents,
  tls?: () => TlsTerms,
): SecureServer {
  const { headersTimeout, requestTimeout } = settings()
  // Node would refuse a missing Host in a form that is not ours, and any expectation but 100-continue.
  const options = {
    requireHostHeader: false,
    maxHeaderSize: MAX_HEADER_BYTES,
    connectionsCheckingInterval: Math.min(CHECK_EVERY, headersTimeout, requestTimeout),
    IncomingMessage: requestsOf(events.upgrades),
  }
  const { server, renew } = tls
    ? createSecureServer(options, listener, { terms: tls, handshakeTimeout: headersTimeout })
    : { server: createServer(options, listener), renew: () => {} }
  server.maxHeadersCount = MAX_HEADERS + 1
  const spare = new SpareDescriptor(server)
  const silent = new WeakMap<Socket, number>()
  let applied: ListenerSettings | undefined
  /** Applies a reload's settings from the next connection on. */
  const apply = () => {
    const now = settings()
    if (now === applied) return
    applied = now
    applyLimits(server, now)
  }
  const opened = (socket: Socket) => {
    apply()
    socket.setTimeout(settings().idleTimeout)
    if (!events.connected(socket)) socket.destroy()
  }
  apply()
  if (tls) server.on('secureConnection', opened)
  server
    .on('checkExpectation', listener)
    .on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
      // A client that sent `Expect: 100-continue` gets the 100 when its body is first read: a refusal comes before.
      request.once('resume', () => response.headersSent || response.writeContinue())
      listener(request, response)
    })
    .on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
      // A client that fails before the end of a handshake does not speak TLS, and could not read an answer.
      if (tls && !hasShakenHands(socket)) socket.destroy()
      else events.broken(error, socket)
    })
    .on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) =>
      events.upgraded(request, lastResponse(request, socket), new Upgrade(socket, head)),
    )
    .on('connect', (_request, socket) => {
      // From here on node does not handle its errors.
      socket.on('error', () => {})
      events.tunnel(socket)
    })
    .on('connection', (socket: Socket) => {
      if (spare.admits(socket) && !tls) opened(socket)
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
  return { server, renew }
}

/** The answer to a request for an upgrade: the connection ends with it. */
function lastResponse(request: IncomingMessage, socket: Socket): ServerResponse {
  const response = new ServerResponse(request)
  response.shouldKeepAlive = false
  response.assignSocket(socket)
  response.once('finish', () => socket.destroySoon())
  return response
}

/**
 * Requests of which these alone are upgrades. Node leaves all of a connection to who listens for upgrades, of whatever
 * protocol: many clients offer `h2c` with an ordinary request. It asks for a class, and reads this field of each request.
 */
function requestsOf(upgrades: (request: IncomingMessage) => boolean): typeof IncomingMessage {
  return class Request extends IncomingMessage {
    declare asksForAnother: boolean | null

    get upgrade(): boolean {
      return this.asksForAnother === true && (this.method === 'CONNECT' || upgrades(this))
    }

    set upgrade(asks: boolean | null) {
      this.asksForAnother = asks
    }
  }
}

/** Holds from now on, also for connections that stand. */
function applyLimits(server: Server, settings: ListenerSettings): void {
  server.headersTimeout = settings.headersTimeout
  server.requestTimeout = settings.requestTimeout
  server.keepAliveTimeout = settings.idleTimeout
  server.timeout = settings.idleTimeout
  server.maxConnections = settings.connections
}
