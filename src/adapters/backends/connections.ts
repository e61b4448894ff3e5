import type { Socket } from 'node:net'
import { buildConnector, Client, type Dispatcher, Pool } from 'undici'
import { lookupHost } from '../../gateway/descriptors.ts'
import { Shared } from '../../gateway/lifetimes.ts'
import type { Millis } from '../../policy/config.ts'

/** Requests with the same origin and timeout share connections. A key travels with its request. */
export interface Way {
  readonly origin: string
  readonly connectTimeout: Millis
}

/** The connections to one origin, which are closed after all their users gave them back. */
export interface Connected {
  readonly pool: Pool
  /** Call this once, when no more requests will be sent. */
  giveBack(): void
}

/** The connections of this process to every replica. Configurations share them, so that a reload opens and closes only what changed. */
export class Connections {
  readonly #single = new Set<Connection>()
  readonly #pools = new Shared<Pool>(pool => {
    // Running requests end first: a backend may be slow to end a response that its client received long ago.
    pool.close().catch(() => {
      // Destroyed before.
    })
  })

  to(way: Way): Connected {
    const { origin, connectTimeout } = way
    const open = () => new Pool(origin, { ...optionsOf(way), factory: connectionTo })
    const { thing, giveBack } = this.#pools.take(JSON.stringify([origin, connectTimeout]), open)
    return { pool: thing, giveBack }
  }

  /** Opens a connection for the request that `send` sends at once, and for no other. */
  once(way: Way, send: (connection: Connection) => void): void {
    const connection = new Connection(way.origin, optionsOf(way))
    this.#single.add(connection)
    send(connection)
    connection.close(() => this.#single.delete(connection))
  }

  /** Interrupts all running requests; later ones fail. */
  async destroy(): Promise<void> {
    await Promise.all([...this.#pools.all, ...this.#single].map(each => each.destroy()))
  }
}

function optionsOf({ connectTimeout }: Way) {
  // The timeout closes a socket that never connects. With a mark of 0, bytes that a client does not take yet stay at the
  // backend: node would read 128 KB of each stream ahead, and with the smallest other mark still one read of 64 KB.
  const connect = { timeout: connectTimeout, highWaterMark: 0, lookup: lookupHost }
  // The attempt keeps time: undici's own timers are coarse.
  return { headersTimeout: 0, bodyTimeout: 0, connect }
}

/** A request that wants to know the connection it goes over. */
export interface TrackedOptions extends Dispatcher.DispatchOptions {
  readonly over: (connection: Connection) => void
}

/** One connection of a pool of them, which knows how much came over its present socket. */
export class Connection extends Client {
  readonly #wire: { socket?: Socket }

  constructor(origin: string | URL, { connect, ...options }: Client.Options) {
    const wire: { socket?: Socket } = {}
    const connector = typeof connect === 'function' ? connect : buildConnector({ ...connect })
    const tracked: buildConnector.connector = (to, done) =>
      connector(to, (...outcome) => {
        if (outcome[1]) wire.socket = outcome[1]
        done(...outcome)
      })
    super(origin, { ...options, connect: tracked })
    this.#wire = wire
  }

  /** Bytes that came over the present socket since it was opened. */
  get bytesRead(): number {
    return this.#wire.socket?.bytesRead ?? 0
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    if (isTracked(options)) options.over(this)
    return super.dispatch(options, handler)
  }
}

const isTracked = (options: Dispatcher.DispatchOptions): options is TrackedOptions => 'over' in options

/** Makes the connections of a pool. */
const connectionTo = (origin: string | URL, options: object): Connection => new Connection(origin, options)
