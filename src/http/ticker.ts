import type { Cancel, Clock } from '../gateway/ports.ts'
import type { Millis } from '../policy/config.ts'

/** Does something again and again, one after the other, for as long as there is something to do. */
export class Ticker {
  readonly #clock: Clock
  readonly #every: Millis
  readonly #run: () => Promise<boolean>
  #cancel: Cancel | undefined
  #running = false

  /** `run` says whether there is more to do, and must not reject. */
  constructor(clock: Clock, every: Millis, run: () => Promise<boolean>) {
    this.#clock = clock
    this.#every = every
    this.#run = run
  }

  start(): void {
    if (this.#running) return
    this.#running = true
    this.#wait()
  }

  /** What runs ends, and says whether it goes on. */
  stop(): void {
    if (!this.#cancel) return
    this.#cancel()
    this.#cancel = undefined
    this.#running = false
  }

  #wait(): void {
    this.#cancel = this.#clock.after(this.#every, async () => {
      this.#cancel = undefined
      if (await this.#run()) this.#wait()
      else this.#running = false
    })
  }
}
