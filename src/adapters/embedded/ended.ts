import type { Readings } from '../../policy/decision.ts'
import { nanoUsd } from '../../policy/nano-usd.ts'
import type { Hold } from '../../policy/standing.ts'

/** What an admission answered, kept so that the same request id gets the same answer. */
export interface Taken {
  readonly hold: Hold
  readonly readings: Readings
  /** Whether it took its part of what all guests share. */
  readonly shared?: true
}

/** How a request ended; an orphan's lease ran out. */
export type End = (typeof ENDS)[number]

const ENDS = ['settled', 'refunded', 'orphan'] as const

/** Of one request. */
const NUMBERS = 17

/**
 * Requests that ended, up to so many. Their numbers lie in one piece of memory: as objects, which live a moment longer
 * than all others, they were two thirds of what the garbage collector had to copy.
 */
export class Ended {
  readonly #most: number
  readonly #places = new Map<string, number>()
  readonly #accounts: string[] = []
  readonly #numbers: Float64Array

  constructor(most: number) {
    this.#most = most
    this.#numbers = new Float64Array(most * NUMBERS)
  }

  get isFull(): boolean {
    return this.#places.size === this.#most
  }

  ids(): Iterable<string> {
    return this.#places.keys()
  }

  clear(): void {
    this.#places.clear()
  }

  /** Takes the place of what was remembered of the same request. */
  put(taken: Taken, end: End): void {
    const { requestId, account } = taken.hold
    const place = this.#places.get(requestId) ?? this.#places.size
    this.#places.set(requestId, place)
    this.#accounts[place] = account
    this.#numbers.set(numbersOf(taken, end), place * NUMBERS)
  }

  has(requestId: string): boolean {
    return this.#places.has(requestId)
  }

  endOf(requestId: string): End | undefined {
    const place = this.#places.get(requestId)
    return place === undefined ? undefined : ENDS[this.#numbers[place * NUMBERS] ?? 0]
  }

  taken(requestId: string): Taken | undefined {
    const place = this.#places.get(requestId)
    if (place === undefined) return undefined
    const from = place * NUMBERS
    return takenOf(requestId, this.#accounts[place] ?? '', this.#numbers.subarray(from, from + NUMBERS))
  }
}

const numbersOf = ({ hold, readings, shared }: Taken, end: End): number[] => [
  ENDS.indexOf(end),
  shared ? 1 : 0,
  hold.output,
  hold.tokens,
  hold.cost,
  hold.second,
  hold.window,
  hold.at,
  hold.round,
  hold.spent.tokens,
  hold.spent.cost,
  readings.requests,
  readings.tokens,
  readings.day,
  readings.open,
  readings.used,
  readings.held,
]

function takenOf(requestId: string, account: string, numbers: Float64Array): Taken {
  const at = (index: number) => numbers[index] ?? 0
  const spent = { tokens: at(9), cost: nanoUsd(at(10)) }
  const hold: Hold = {
    requestId,
    account,
    output: at(2),
    tokens: at(3),
    cost: nanoUsd(at(4)),
    second: at(5),
    window: at(6),
    at: at(7),
    round: at(8),
    spent,
  }
  const [used, held] = [nanoUsd(at(15)), nanoUsd(at(16))]
  const readings = { requests: at(11), tokens: at(12), day: at(13), open: at(14), used, held }
  return at(1) === 1 ? { hold, readings, shared: true } : { hold, readings }
}
