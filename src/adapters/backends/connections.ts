import { Pool } from 'undici'
import { lookupHost } from '../../gateway/descriptors.ts'
import { Shared } from '../../gateway/shared.ts'
import type { Millis } from '../../policy/config.ts'
import { Connection, connectionTo } from './connection.ts'

/** What makes one connection other than another: only requests that agree on it share one. A key travels with its request. */
export interface Way {
  readonly origin: string
  readonly connectTimeout: Millis
}

/** The connections to one origin, for as long as somebody needs them. */
export interface Connected {
  readonly pool: Pool
  /** To be called once, when no more requests will be sent. */
  giveBack(): void
}

function optionsOf({ connectTimeout }: Way) {
  // Of a socket that never connects nobody else would let go. What a client does not take yet stays with the backend:
  // node would read 128 KB of each stream ahead, and with the smallest other mark still one read, which is 64 KB.
  const connect = { timeout: connectTimeout, highWaterMark: 0, lookup: lookupHost }
  // The attempt keeps time: undici's own timers are coarse.
  return { headersTimeout: 0, bodyTimeout: 0, connect }
}

/** The connections of this process to every replica. Configurations share them, so that a reload opens and closes only what changed. */
export class Connections {
  readonly #single = new Set<Connection>()
  readonly #pools = new Shared<Pool>(pool => {
    // What is under way ends first: a backend may be slow to end a response that its client has long got.
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

  /** A connection for what is sent over it at once, and nothing else. */
  once(way: Way, send: (connection: Connection) => void): void {
    const connection = new Connection(way.origin, optionsOf(way))
    this.#single.add(connection)
    send(connection)
    connection.close(() => this.#single.delete(connection))
  }

  /** Cuts what is still under way; whatever is sent from now on fails. */
  async destroy(): Promise<void> {
    await Promise.all([...this.#pools.all, ...this.#single].map(each => each.destroy()))
  }
}
