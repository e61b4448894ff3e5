import type { Socket } from 'node:net'
import { buildConnector, Client, type Dispatcher } from 'undici'

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
export const connectionTo = (origin: string | URL, options: object): Connection => new Connection(origin, options)
