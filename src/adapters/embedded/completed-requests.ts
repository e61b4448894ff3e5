import { lengthened } from '../../gateway/growing-numbers.ts'
import type { Hold } from '../../policy/counters/account-counters.ts'
import { type Readings, readingNumbers, readingsOfNumbers } from '../../policy/limits/readings.ts'
import { nanoUsd } from '../../policy/nano-usd.ts'

/** The answer of an admission, kept so that the same request id gets the same answer. */
export interface AdmittedRequest {
  readonly hold: Hold
  readonly readings: Readings
  /** True when its hold counts against the daily limit of all guests too. */
  readonly shared?: true
}

/** How a request ended. The lease of an orphan ran out. */
export type Ending = (typeof ENDS)[number]

const ENDS = ['settled', 'refunded', 'orphan'] as const

/**
 * A fixed number of requests that ended. Their numbers lie in one array: as objects, which live a moment longer than
 * other objects of a request, they were two thirds of the garbage collector's copying.
 */
export class CompletedRequests {
  readonly #most: number
  readonly #places = new Map<string, number>()
  readonly #accounts: string[] = []
  #numbers = new Float64Array()

  constructor(most: number) {
    this.#most = most
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

  /** Replaces an earlier entry of the same request. */
  put(admitted: AdmittedRequest, end: Ending): void {
    const { requestId, account } = admitted.hold
    const place = this.#places.get(requestId) ?? this.#places.size
    this.#places.set(requestId, place)
    this.#accounts[place] = account
    const size = { length: (place + 1) * NUMBERS, most: this.#most * NUMBERS }
    this.#numbers = lengthened(Float64Array, this.#numbers, size)
    this.#numbers.set(numbersOf(admitted, end), place * NUMBERS)
  }

  has(requestId: string): boolean {
    return this.#places.has(requestId)
  }

  endOf(requestId: string): Ending | undefined {
    const place = this.#places.get(requestId)
    return place === undefined ? undefined : ENDS[this.#numbers[place * NUMBERS] ?? 0]
  }

  taken(requestId: string): AdmittedRequest | undefined {
    const place = this.#places.get(requestId)
    if (place === undefined) return undefined
    const from = place * NUMBERS
    return requestOf(requestId, this.#accounts[place] ?? '', this.#numbers.subarray(from, from + NUMBERS))
  }
}

/** How many numbers there are of a hold and its end, and with the readings behind them. */
const HOLD_NUMBERS = 11
const NUMBERS = HOLD_NUMBERS + readingNumbers(readingsOfNumbers([])).length

const numbersOf = ({ hold, readings, shared }: AdmittedRequest, end: Ending): number[] => [
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
  ...readingNumbers(readings),
]

function requestOf(requestId: string, account: string, numbers: Float64Array): AdmittedRequest {
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
  const readings = readingsOfNumbers(numbers.subarray(HOLD_NUMBERS))
  return at(1) === 1 ? { hold, readings, shared: true } : { hold, readings }
}
