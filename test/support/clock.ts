import type { Clock } from '../../src/gateway/ports.ts'

/** A clock that stands still until a test moves it. */
export class VirtualClock implements Clock {
  #now: number
  #timers: { at: number; run: () => void }[] = []

  constructor(now: number) {
    this.#now = now
  }

  readonly now = (): number => this.#now

  readonly after = (time: number, run: () => void): (() => void) => {
    const timer = { at: this.#now + time, run }
    this.#timers.push(timer)
    return () => {
      this.#timers = this.#timers.filter(other => other !== timer)
    }
  }

  /** Moves on, and runs what became due, in order of time. */
  advance(ms: number): void {
    const until = this.#now + ms
    for (;;) {
      const [due] = this.#timers.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)
      if (!due) break
      this.#timers = this.#timers.filter(other => other !== due)
      this.#now = Math.max(this.#now, due.at)
      due.run()
    }
    this.#now = until
  }
}
