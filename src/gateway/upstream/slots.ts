import type { Millis } from '../../policy/config.ts'
import type { Client, Clock } from '../ports.ts'
import { afterOrDisconnect } from '../timers.ts'

/** Room in a pool for so many requests at once, and how long one more waits for it. */
export interface Room {
  readonly maxConcurrent?: number
  readonly queueTimeout: Millis
}

interface Waiter {
  admit: () => void
}

/** Running requests in one pool, and those that wait for one of them to end: first come, first served. */
export class Slots {
  #taken = 0
  /** The limit that the latest request came with, since a reload may change it. */
  #max = Number.POSITIVE_INFINITY
  readonly #queue = new Set<Waiter>()

  get taken(): number {
    return this.#taken
  }

  get waiting(): number {
    return this.#queue.size
  }

  /** Takes a slot if one is free. */
  takeNow({ maxConcurrent = Number.POSITIVE_INFINITY }: Room): boolean {
    this.#max = maxConcurrent
    this.#admit()
    if (this.#taken >= maxConcurrent) return false
    this.#taken++
    return true
  }

  /** Takes a slot, waiting for one if need be; false when none came free in time, or the client left. */
  async take(room: Room, clock: Clock, client: Client): Promise<boolean> {
    if (this.takeNow(room)) return true
    const { maxConcurrent = Number.POSITIVE_INFINITY, queueTimeout } = room
    // As many may wait as may run: a later request would hardly be served in time.
    return this.#queue.size < maxConcurrent && this.#wait(queueTimeout, clock, client)
  }

  /** Gives a slot back. */
  free(): void {
    this.#taken--
    this.#admit()
  }

  /** Lets those in that wait longest, while there is room. */
  #admit(): void {
    for (const { admit } of this.#queue) {
      if (this.#taken >= this.#max) return
      this.#taken++
      admit()
    }
  }

  #wait(time: Millis, clock: Clock, client: Client): Promise<boolean> {
    return new Promise(resolve => {
      const waiter: Waiter = { admit: () => end(true) }
      this.#queue.add(waiter)
      const stop = afterOrDisconnect(time, clock, client, () => end(false))
      const end = (got: boolean) => {
        this.#queue.delete(waiter)
        // A table of the Set may outlive it: nothing of the request then does (docs/decisions/015).
        waiter.admit = () => {}
        stop()
        resolve(got)
      }
    })
  }
}
