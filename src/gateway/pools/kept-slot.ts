import type { Slots } from './slots.ts'

/** A slot of a pool with a queue that a request keeps between its attempts, so that it does not wait again. */
export class KeptSlot {
  #slots: Slots | undefined
  #isOver = false

  /** An attempt is over: its slot is kept for the next one, unless there is none. */
  keep(slots: Slots): void {
    this.#free()
    if (this.#isOver) slots.free()
    else this.#slots = slots
  }

  /** Takes the slot for an attempt in its pool; one of another pool is free from now on. */
  take(slots: Slots): boolean {
    if (this.#slots !== slots) {
      this.#free()
      return false
    }
    this.#slots = undefined
    return true
  }

  /** There are no more attempts. */
  close(): void {
    this.#isOver = true
    this.#free()
  }

  #free(): void {
    this.#slots?.free()
    this.#slots = undefined
  }
}
