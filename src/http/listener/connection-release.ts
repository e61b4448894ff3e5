import type { Duplex } from 'node:stream'

/**
 * Lets connections go that another worker of the gateway is to have. The client of each is told with an answer that it is
 * the last of its connection, and so opens another one; no connection ends while a client may send on it.
 */
export class ConnectionRelease {
  #wanted = 0
  #withStreams = false
  /** Those whose client was told, until they close. */
  readonly #announced = new Set<Duplex>()

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
