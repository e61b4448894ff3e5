import { closeSync, openSync } from 'node:fs'
import type { Server, Socket } from 'node:net'

/**
 * A file descriptor that is held back for a listener. libuv holds one back itself, and loses it when something else in the
 * process takes the descriptor that it has just freed. Without it libuv calls `accept` again and again in one turn of the
 * event loop, for as long as it fails: with this one it succeeds, and the connection can be closed.
 */
export class SpareDescriptor {
  #held: number | undefined

  constructor(server: Server) {
    server
      .on('listening', () => this.#take())
      .on('close', () => this.#giveAway())
      .on('error', () => {
        // Before it listens, the caller of `listen` gets the error; later it is a failed `accept`, which ends nothing.
        if (server.listening) this.#giveAway()
      })
  }

  /** Whether a connection that came may stay. Where the descriptor is given away it is closed, to have that back. */
  admits(socket: Socket): boolean {
    if (this.#held === undefined) this.#take()
    if (this.#held !== undefined) return true
    socket.destroy()
    this.#take()
    return false
  }

  #take(): void {
    try {
      this.#held ??= openSync('/dev/null', 'r')
    } catch {
      // The next connection that is closed makes room for it.
    }
  }

  #giveAway(): void {
    if (this.#held !== undefined) closeSync(this.#held)
    this.#held = undefined
  }
}
