import type { EpochMs } from '../../../policy/config.ts'

const SECONDS = 60

/** How many requests came in the last minute, and what they cost. */
export class Pace {
  readonly #seconds = new Map<number, { requests: number; usd: number }>()

  add(at: EpochMs, usd: number): void {
    const second = Math.floor(at / 1000)
    const bucket = this.#seconds.get(second) ?? { requests: 0, usd: 0 }
    this.#seconds.set(second, { requests: bucket.requests + 1, usd: bucket.usd + usd })
    this.#forget(second)
  }

  /** Per minute, and US dollars per hour. */
  at(now: EpochMs): { readonly rpm: number; readonly usdPerHour: number } {
    this.#forget(Math.floor(now / 1000))
    let rpm = 0
    let usd = 0
    for (const bucket of this.#seconds.values()) {
      rpm += bucket.requests
      usd += bucket.usd
    }
    return { rpm, usdPerHour: usd * 60 }
  }

  #forget(now: number): void {
    for (const second of this.#seconds.keys()) if (second <= now - SECONDS) this.#seconds.delete(second)
  }
}
