import type { Duplex } from 'node:stream'
import type { Millis } from '../../policy/config.ts'
import type { Connections } from './connections.ts'

/**
 * Releases connections for another worker. An answer tells each client that it is the last on its connection, so the
 * client opens a new one; no connection closes while a client may be sending on it.
 */
export class ConnectionRelease {
  #wanted = 0
  #withStreams = false
  #connections: Pick<Connections, 'idleFor'> | undefined
  /** Connections whose client got that answer, until they close. */
  readonly #announced = new Set<Duplex>()

  attach(connections: Pick<Connections, 'idleFor'>): void {
    this.#connections = connections
  }

  /** Connections on which nothing was asked for a while: they make no work, and nothing can be announced on them. */
  get idle(): number {
    return this.#connections?.idleFor(IDLE_MS) ?? 0
  }

  /** So many of the connections that are open now are too many. `withStreams`: those that begin a stream may end with it. */
  release(count: number, withStreams: boolean): void {
    this.#wanted = count
    this.#withStreams = withStreams
  }

  /** Whether an answer that begins now is the last one of its connection. */
  endsWith(socket: Duplex, isStream: boolean): boolean {
    if (this.#wanted <= this.#announced.size || (isStream && !this.#withStreams)) return false
    this.#announced.add(socket)
    socket.once('close', () => {
      this.#announced.delete(socket)
      this.#wanted = Math.max(0, this.#wanted - 1)
    })
    return true
  }
}

/** A client that asks less often makes little work. */
const IDLE_MS: Millis = 5000
