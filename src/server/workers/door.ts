import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import type { Address } from '../../config/settings.ts'
import type { Workers } from './workers.ts'

/**
 * Takes connections of clients and hands them to workers in turn. It is main alone that listens, so that a worker that hangs
 * or ends keeps no port, and that clients wait for a moment where none serves.
 */
export class Door {
  readonly #server: Server
  readonly #workers: Workers
  #waiting: Socket[] = []

  constructor(workers: Workers) {
    this.#workers = workers
    // Nothing is read of a connection before a worker has it.
    this.#server = createServer({ pauseOnConnect: true, allowHalfOpen: true, noDelay: true }, socket =>
      this.#hand(socket),
    )
    // A connection that broke as it came.
    this.#server.on('error', () => {})
  }

  async listen({ host, port }: Address): Promise<Address> {
    this.#server.listen(port, host)
    await once(this.#server, 'listening')
    return { host, port: (this.#server.address() as AddressInfo).port }
  }

  /** A worker serves. */
  open(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const socket of waiting) this.#hand(socket)
  }

  close(): void {
    this.#server.close()
    for (const socket of this.#waiting) socket.destroy()
    this.#waiting = []
  }

  #hand(socket: Socket): void {
    const worker = this.#workers.next()
    if (worker) {
      worker.send(CLIENT, socket, { keepOpen: false }, error => {
        if (error) socket.destroy()
      })
    } else if (this.#waiting.length < MOST_WAITING) this.#waiting.push(socket)
    else socket.destroy()
  }
}

/** What is said with a connection. */
export const CLIENT = 'client'

const MOST_WAITING = 1024
