/** What can be in a roster: it knows its place there. */
export interface Listed {
  place: number
}

/**
 * What is under way at present, in no order. A Set or a Map of what comes and goes with each request would keep it long
 * afterwards (docs/decisions/015): this array keeps nothing that was removed.
 */
export class Roster<T extends Listed> {
  readonly #all: T[] = []

  get size(): number {
    return this.#all.length
  }

  /** All that are there now. */
  get all(): readonly T[] {
    return [...this.#all]
  }

  /** For one that is in no roster. */
  add(one: T): void {
    one.place = this.#all.push(one) - 1
  }

  /** Does nothing when it is not there. */
  remove(one: T): void {
    const { place } = one
    if (this.#all[place] !== one) return
    const last = this.#all.pop()
    if (last === undefined || last === one) return
    // The last one moves up, so that no place is empty.
    this.#all[place] = last
    last.place = place
  }
}
