import { lengthened } from '../../gateway/growing-numbers.ts'
import type { Charge, Hold } from '../../policy/counters/account-counters.ts'
import { type Readings, readingNumbers, readingsOfNumbers } from '../../policy/limits/readings.ts'
import { inOrder } from '../../records/fields.ts'
import { CHARGE, HOLD } from '../../records/hold.ts'
import { numbersIn } from '../../records/shape.ts'

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
    writeNumbers(this.#numbers, place * NUMBERS, admitted, end)
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

/** Where the numbers of a hold begin, behind its end and whether it counts against the limit of all guests. */
const HOLD_AT = 2

/** The numbers of a hold, in the order in which files have them where it runs on as an orphan, and those of what it spent. */
const OF_HOLD = inOrder(['output', 'tokens', 'cost', 'second', 'window', 'at', 'round'], numbersIn(HOLD))
const OF_SPENT = numbersIn(CHARGE)

/** Fields of an ended hold stored outside its numbers. A new non-numeric field does not compile until listed here. */
type Beside =
  | 'requestId'
  | 'account'
  | 'spent'
  /** Its counters were given back, and nothing asks where it held them. */
  | 'rules'
  | 'apart'

type HoldNumber = Exclude<keyof Hold, Beside>
type SpentNumber = Exclude<keyof Charge, 'pieces'>

const READINGS_AT = HOLD_AT + OF_HOLD.length + OF_SPENT.length
const NUMBERS = READINGS_AT + readingNumbers(readingsOfNumbers([])).length

function writeNumbers(
  into: Float64Array,
  from: number,
  { hold, readings, shared }: AdmittedRequest,
  end: Ending,
): void {
  const [held, spent]: [Numbers<HoldNumber>, Numbers<SpentNumber>] = [hold, hold.spent]
  into[from] = ENDS.indexOf(end)
  into[from + 1] = shared ? 1 : 0
  let at = from + HOLD_AT
  for (const name of OF_HOLD) into[at++] = held[name as HoldNumber] ?? Number.NaN
  for (const name of OF_SPENT) into[at++] = spent[name as SpentNumber] ?? Number.NaN
  into.set(readingNumbers(readings), from + READINGS_AT)
}

type Numbers<Name extends string> = { readonly [N in Name]?: number | undefined }

function requestOf(requestId: string, account: string, numbers: Float64Array): AdmittedRequest {
  const spent: Record<string, number> = {}
  const hold: Record<string, unknown> = { requestId, account }
  copyNumbers(hold, OF_HOLD, numbers, HOLD_AT)
  copyNumbers(spent, OF_SPENT, numbers, HOLD_AT + OF_HOLD.length)
  hold.spent = spent
  const readings = readingsOfNumbers(numbers.subarray(READINGS_AT))
  const admitted = { hold: hold as unknown as Hold, readings }
  return numbers[1] === 1 ? { ...admitted, shared: true } : admitted
}

function copyNumbers(to: Record<string, unknown>, names: readonly string[], numbers: Float64Array, from: number): void {
  let at = from
  for (const name of names) {
    const number = numbers[at++] ?? Number.NaN
    // An optional one that was absent.
    if (!Number.isNaN(number)) to[name] = number
  }
}
