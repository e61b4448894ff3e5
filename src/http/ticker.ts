import type { Cancel, Clock } from '../gateway/ports.ts'
import type { Millis } from '../policy/config.ts'

/** Does something again and again, one after the other, for as long as there is something to do. */
export class Ticker {
  readonly #clock: Clock
  readonly #every: Millis
  readonly #run: () => Promise<void>
  readonly #more: () => boolean
  #cancel: Cancel | undefined
  #running = false

  /** `run` must not reject; `more` says after it whether there is more to do. */
  constructor(clock: Clock, every: Millis, run: () => Promise<void>, more: () => boolean) {
    this.#clock = clock
    this.#every = every
    this.#run = run
    this.#more = more
  }

  start(): void {
    if (this.#running) return
    this.#running = true
    this.#wait()
  }

  /** Ends the round that runs. */
  stop(): void {
    if (!this.#cancel) return
    this.#cancel()
    this.#cancel = undefined
    this.#running = false
  }

  #wait(): void {
    this.#cancel = this.#clock.after(this.#every, async () => {
      this.#cancel = undefined
      await this.#run()
      // Asked now: between an answer of `run` and here something may come that would find this running.
      if (this.#more()) this.#wait()
      else this.#running = false
    })
  }
}
