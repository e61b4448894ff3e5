import type { Millis } from '../../policy/config.ts'
import { outOfPatience } from '../patience.ts'
import type { Clock } from '../ports.ts'
import type { ResponseStore } from '../store/response-store.ts'

/** A reading is good for as long, however many ask for it. */
const FRESH_MS: Millis = 10_000
/** The longest time that a reader of metrics waits. */
const PATIENCE_MS: Millis = 2000

/** The bytes of all accounts' kept responses in the store. */
export class KeptTotal {
  readonly #store: Pick<ResponseStore, 'readTotal'>
  readonly #clock: Clock
  #last: { readonly askedAt: Millis; readonly bytes: Promise<number | undefined> } | undefined

  constructor(store: Pick<ResponseStore, 'readTotal'>, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  /** In bytes; undefined where the store does not answer in time. */
  read(): Promise<number | undefined> {
    const now = this.#clock.elapsed()
    if (this.#last && now - this.#last.askedAt < FRESH_MS) return this.#last.bytes
    const bytes = this.#ask()
    this.#last = { askedAt: now, bytes }
    return bytes
  }

  #ask(): Promise<number | undefined> {
    return new Promise(resolve => {
      const patience = { time: PATIENCE_MS, after: (time: Millis, run: () => void) => this.#clock.after(time, run) }
      const callOff = outOfPatience(patience, () => resolve(undefined))
      this.#store
        .readTotal()
        .then(resolve, () => resolve(undefined))
        .finally(callOff)
    })
  }
}
