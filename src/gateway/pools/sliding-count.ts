import type { EpochMs } from '../../policy/config.ts'

/** Buckets of one second: the current one and those before it. */
const SECONDS = 10

/** How many there were in the last ten seconds, and how many of them were marked. */
export interface Share {
  readonly all: number
  readonly marked: number
}

/** Counts over the last ten seconds. A clock that steps back keeps counting in the latest second. */
export class SlidingCount {
  readonly #all = new Array<number>(SECONDS).fill(0)
  readonly #marked = new Array<number>(SECONDS).fill(0)
  #second = 0

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
    for (let each = Math.max(this.#second + 1, second - SECONDS + 1); each <= second; each++) {
      this.#all[each % SECONDS] = 0
      this.#marked[each % SECONDS] = 0
    }
    this.#second = second
    return second % SECONDS
  }
}
