import { closeSync, openSync } from 'node:fs'

/**
 * A file descriptor that is held back for a listener. libuv holds one back itself, and loses it when something else in the
 * process takes the descriptor that it has just freed. Without it libuv calls `accept` again and again in one turn of the
 * event loop, for as long as it fails: with this one it succeeds, and the connection can be closed.
 */
export class SpareDescriptor {
  #held: number | undefined

  /** Whether it is given away: a connection that comes now has to be closed, to have it back. */
  get isGivenAway(): boolean {
    return this.#held === undefined
  }

  /** Holds one back again, if there is one. */
  take(): void {
    try {
      this.#held ??= openSync('/dev/null', 'r')
    } catch {
      // The next connection that is closed makes room for it.
    }
  }

  giveAway(): void {
    if (this.#held !== undefined) closeSync(this.#held)
    this.#held = undefined
  }
}
