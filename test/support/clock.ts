import { EventEmitter, once } from 'node:events'
import type { Clock } from '../../src/gateway/ports.ts'

/** A clock that stands still until a test moves it. */
export class VirtualClock implements Clock {
  #now: number
  #timers: { at: number; run: () => void }[] = []
  readonly #changes = new EventEmitter().setMaxListeners(0)

  constructor(now: number) {
    this.#now = now
  }

  readonly now = (): number => this.#now

  readonly elapsed = (): number => this.#now

  readonly after = (time: number, run: () => void): (() => void) => {
    const timer = { at: this.#now + time, run }
    this.#timers.push(timer)
    this.#changes.emit('timer')
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

  /** Resolves once so many things wait for exactly `ms` more. */
  async waits(ms: number, count = 1): Promise<void> {
    while (this.waiting(ms) < count) await once(this.#changes, 'timer')
  }

  /** How many things wait for exactly `ms` more. */
  waiting(ms: number): number {
    return this.#timers.filter(({ at }) => at === this.#now + ms).length
  }

  /** Moves on, a little with every turn of the loop, until something has come about. */
  async during<T>(coming: Promise<T>, ms = 1): Promise<T> {
    let over = false
    const end = () => {
      over = true
    }
    coming.then(end, end)
    while (!over) {
      await new Promise(setImmediate)
      this.advance(ms)
    }
    return coming
  }
}
