import type { Millis } from '../policy/config.ts'
import type { Cancel, Clock } from './ports.ts'

interface Deadline {
  readonly at: Millis
  readonly run: () => void
}

/** What is to happen after some time, unless all of it is called off: any number of them, with one timer of the clock. */
export class Deadlines {
  readonly #clock: Clock
  /** Of just its size: to push into an empty array makes room for seventeen. */
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
    this.#waiting = [...this.#waiting, { at, run }]
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
    // What runs may call off the rest.
    for (let due = this.#takeDue(until); due; due = this.#takeDue(until)) due.run()
    const at = Math.min(...this.#waiting.map(deadline => deadline.at))
    if (at < this.#next) this.#wait(at, at - this.#clock.elapsed())
  }

  /** The earliest one first. */
  #takeDue(until: Millis): Deadline | undefined {
    const [due] = this.#waiting.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)
    this.#waiting = this.#waiting.filter(deadline => deadline !== due)
    return due
  }
}
