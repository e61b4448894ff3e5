import type { QueuedRequest } from './queue.ts'
import type { Slots } from './slots.ts'

/** A slot of a pool with a queue that a request keeps between its attempts, so that it does not wait again. */
export class KeptSlot {
  #kept: { readonly slots: Slots; readonly request: QueuedRequest } | undefined
  #isOver = false

  /** An attempt is over: its slot is kept for the next one, unless there is none. */
  keep(slots: Slots, request: QueuedRequest): void {
    this.#free()
    if (this.#isOver) slots.free(request)
    else this.#kept = { slots, request }
  }

  /** Takes the slot for an attempt in its pool; one of another pool is free from now on. */
  take(slots: Slots): boolean {
    if (this.#kept?.slots !== slots) {
      this.#free()
      return false
    }
    slots.fair.release(this.#kept.request)
    this.#kept = undefined
    return true
  }

  /** There are no more attempts. */
  close(): void {
    this.#isOver = true
    this.#free()
  }

  #free(): void {
    const { slots, request } = this.#kept ?? {}
    this.#kept = undefined
    slots?.free(request)
  }
}
