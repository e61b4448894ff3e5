import type { Clock } from '../gateway/ports.ts'
import type { Listener } from '../http/listener/server.ts'
import type { Millis } from '../policy/config.ts'
import { within } from './world.ts'

export interface DrainPorts {
  readonly clock: Clock
  readonly clients: Leaving
  /** Absent where another process answers operators. */
  readonly operators?: Pick<Listener, 'drain' | 'destroy'>
  /** Breaks the connections to the backends. */
  readonly abort: () => Promise<void>
  /** Ends the event feeds of operators, which would never end by themselves. */
  readonly closeFeeds: () => Promise<void>
}

/** A part that drains: a listener, or all those of other processes. */
export interface Leaving extends Pick<Listener, 'cut' | 'destroy'> {
  drain(times: DrainTimes): Promise<void>
}

export interface DrainTimes {
  /** Requests are still taken for as long. */
  readonly delay: Millis
  /** How long running requests may continue then. */
  readonly timeout: Millis
}

/** The way out of a gateway, from the last request it takes to its last byte. */
export class Drain {
  readonly #ports: DrainPorts
  readonly #cutRequested: Promise<void>
  #requestCut = () => {}

  constructor(ports: DrainPorts) {
    this.#ports = ports
    this.#cutRequested = new Promise(resolve => {
      this.#requestCut = resolve
    })
  }

  /** Waits no longer, and cuts running requests. May be called before `run`. */
  cut(): void {
    this.#requestCut()
  }

  /** Resolves once no request is running and no client is connected. The admin listener answers until the last client is gone. */
  async run(times: DrainTimes): Promise<void> {
    const { delay, timeout } = times
    const { clients, operators, abort, closeFeeds } = this.#ports
    await this.#waits(delay)
    const served = clients.drain({ delay: 0, timeout })
    await Promise.race([served, this.#waits(timeout)])
    clients.cut()
    // Both at once: an answer that has not begun then fails with its backend, and is not tried again.
    await abort()
    // Requests that wait for room at a backend have none yet.
    clients.cut()
    await within(LAST_WORDS_MS, served)
    clients.destroy()

    await within(LAST_WORDS_MS, closeFeeds())
    if (!operators) return
    await within(LAST_WORDS_MS, operators.drain())
    operators.destroy()
  }

  #waits(time: Millis): Promise<void> {
    if (time <= 0) return Promise.resolve()
    return new Promise(resolve => {
      const cancel = this.#ports.clock.after(time, resolve)
      this.#cutRequested.then(() => {
        cancel()
        resolve()
      })
    })
  }
}

/** How long requests that were cut may take to settle, and their last words to be sent. */
const LAST_WORDS_MS: Millis = 2000
