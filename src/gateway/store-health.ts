import type { Millis } from '../policy/config.ts'
import { outOfPatience } from './patience.ts'
import type { Clock } from './ports.ts'
import { type Store, StoreUnavailable } from './store/store.ts'

/** An answer is good for as long: however many ask whether the gateway is ready, the store has one small write in that time. */
const FRESH_MS: Millis = 1000
/** A disk or a Redis that takes longer would keep every client waiting. */
const PATIENCE_MS: Millis = 2000

/** Whether the store can be written, which a write finds out: a full disk and a full Redis can still be read. */
export class StoreHealth {
  readonly #store: Pick<Store, 'proveWritable'>
  readonly #clock: Clock
  #last: { readonly askedAt: Millis; readonly answer: Promise<boolean> } | undefined

  constructor(store: Pick<Store, 'proveWritable'>, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  /** Rejects only on a bug. */
  isWritable(): Promise<boolean> {
    const now = this.#clock.elapsed()
    if (this.#last && now - this.#last.askedAt < FRESH_MS) return this.#last.answer
    const answer = this.#ask()
    this.#last = { askedAt: now, answer }
    return answer
  }

  #ask(): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const callOff = outOfPatience({ time: PATIENCE_MS, after: (time, run) => this.#clock.after(time, run) }, () =>
        resolve(false),
      )
      this.#store
        .proveWritable()
        .then(
          () => resolve(true),
          (error: unknown) => (error instanceof StoreUnavailable ? resolve(false) : reject(error)),
        )
        .finally(callOff)
    })
  }
}
