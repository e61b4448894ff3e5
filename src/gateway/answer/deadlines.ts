import type { Millis } from '../../policy/config.ts'
import type { Cancel, Clock } from '../ports.ts'

interface Deadline {
  readonly at: Millis
  readonly run: () => void
}

/** What is to happen after some time, unless all of it is called off: any number of them, with one timer of the clock. */
export class Deadlines {
  readonly #clock: Clock
  /** The earliest first. Of just its size: to push into an empty array makes room for seventeen. */
  #waiting: readonly Deadline[] = []
  #timer: Cancel | undefined
  /** When the timer ends. */
  #next: Millis = Number.POSITIVE_INFINITY

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Runs once after the time. */
  after(time: Millis, run: () => void): void {
    const at = this.#clock.elapsed() + time
    this.#waiting = [...this.#waiting, { at, run }].sort((a, b) => a.at - b.at)
    if (at < this.#next) this.#wait(at, time)
  }

  callOff(): void {
    this.#timer?.()
    this.#timer = undefined
    this.#waiting = []
    this.#next = Number.POSITIVE_INFINITY
  }

  #wait(at: Millis, time: Millis): void {
    this.#timer?.()
    this.#next = at
    this.#timer = this.#clock.after(time, () => this.#runDue(at))
  }

  #runDue(until: Millis): void {
    this.#timer = undefined
    this.#next = Number.POSITIVE_INFINITY
    // What runs may call off the rest, or add to it.
    let [first] = this.#waiting
    while (first && first.at <= until) {
      this.#waiting = this.#waiting.slice(1)
      first.run()
      ;[first] = this.#waiting
    }
    if (first && first.at < this.#next) this.#wait(first.at, first.at - this.#clock.elapsed())
  }
}
