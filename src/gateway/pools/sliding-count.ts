import type { EpochMs } from '../../policy/config.ts'

/** How many there were lately, and how many of them were marked. */
export interface Share {
  readonly all: number
  readonly marked: number
}

/**
 * Counts over the last seconds, in a bucket for the current second and for each before it. A clock that steps back keeps
 * counting in the latest second.
 */
export class SlidingCount {
  readonly #all: number[]
  readonly #marked: number[]
  #second = 0

  constructor(seconds = 10) {
    this.#all = new Array<number>(seconds).fill(0)
    this.#marked = new Array<number>(seconds).fill(0)
  }

  add(now: EpochMs, all: number, marked = 0): void {
    const at = this.#advance(now)
    this.#all[at] = (this.#all[at] ?? 0) + all
    this.#marked[at] = (this.#marked[at] ?? 0) + marked
  }

  share(now: EpochMs): Share {
    this.#advance(now)
    const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0)
    return { all: sum(this.#all), marked: sum(this.#marked) }
  }

  clear(): void {
    this.#all.fill(0)
    this.#marked.fill(0)
  }

  /** Empties the buckets of the seconds that passed; the index of the current one. */
  #advance(now: EpochMs): number {
    const second = Math.max(Math.floor(now / 1000), this.#second)
    const { length } = this.#all
    for (let each = Math.max(this.#second + 1, second - length + 1); each <= second; each++) {
      this.#all[each % length] = 0
      this.#marked[each % length] = 0
    }
    this.#second = second
    return second % length
  }
}
