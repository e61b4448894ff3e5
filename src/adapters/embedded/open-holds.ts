import type { Settlement } from '../../gateway/store/hold-store.ts'
import type { EpochMs } from '../../policy/config.ts'
import type { Hold } from '../../policy/counters/account-counters.ts'
import type { Mutable } from '../../policy/decision.ts'
import { readingsOfStored, type StoredReadings, storedReadings } from '../../policy/limits/readings.ts'
import { type AdmittedRequest, CompletedRequests, type Ending } from './completed-requests.ts'

/** A running request. */
export interface OpenHold extends AdmittedRequest {
  readonly leaseUntil: EpochMs
  /** Its checkpoint: what it is settled at when its lease runs out. */
  readonly soFar?: Settlement
  /** The hold at its charge as an orphan, after which the request ran on: `hold` is without that charge. */
  readonly whole?: Hold
  /** True when it was known at its admission that no row has its id, so that its settlement need not look for one. */
  readonly isNew?: boolean
}

/** A running request as it lies in the files. */
export interface StoredHold extends Omit<OpenHold, 'readings'> {
  readonly readings: StoredReadings
}

export const storedHold = (held: OpenHold): StoredHold => ({ ...held, readings: storedReadings(held.readings) })

/** A running request as the journal has it: its readings are only for the answer of its admission. */
export type JournaledHold = Omit<OpenHold, 'readings' | 'isNew'>

export function journaledHold({ hold, leaseUntil, shared, soFar, whole }: OpenHold): JournaledHold {
  const held: Mutable<JournaledHold> = { hold, leaseUntil }
  if (shared) held.shared = shared
  if (soFar) held.soFar = soFar
  if (whole) held.whole = whole
  return held
}

export const holdOfStored = (stored: StoredHold): OpenHold => ({
  ...stored,
  readings: readingsOfStored(stored.readings),
})

/** The running requests, and the last ones that completed. All calls are synchronous, in memory. */
export class Holds {
  readonly #open = new Map<string, OpenHold>()
  /** When it is full it becomes the older generation: deleting the first entry of a Map again and again is slow. */
  #completed = new CompletedRequests(COMPLETED_KEPT)
  #completedBefore = new CompletedRequests(COMPLETED_KEPT)
  /** The greatest id among the completed ones. Ids grow with time, so that a new one is greater and need not be looked up. */
  #latest = ''
  /** No lease ends before this moment. */
  #earliest: EpochMs = Number.POSITIVE_INFINITY
  /** No request with a greater id ever had a row, but for those remembered here. */
  #passed: string

  /** `passed` is the last key of the ledger, empty when there is none. */
  constructor(passed = '') {
    this.#passed = passed
  }

  /**
   * True when a request that is not remembered cannot have a row: ids grow with time, and this one is greater than all
   * that were forgotten. False means that it may have one.
   */
  isNew(requestId: string): boolean {
    return requestId > this.#passed && PLAIN.test(requestId)
  }

  /** Notes that a request has a row, although it had no hold. */
  pass(requestId: string): void {
    if (requestId > this.#passed) this.#passed = requestId
  }

  /** The hold of a running request. */
  get(requestId: string): OpenHold | undefined {
    return this.#open.get(requestId)
  }

  /** A request that was admitted, running or completed; undefined when it is not remembered. */
  admitted(requestId: string): AdmittedRequest | undefined {
    return this.#open.get(requestId) ?? this.#completedWith(requestId)?.taken(requestId)
  }

  /** How a request ended; undefined when that is not remembered. */
  endOf(requestId: string): Ending | undefined {
    return this.#completedWith(requestId)?.endOf(requestId)
  }

  put(held: OpenHold): void {
    this.#open.set(held.hold.requestId, held)
    this.#earliest = Math.min(this.#earliest, held.leaseUntil)
  }

  /** Ends a hold and returns it; undefined when there is none. */
  end(requestId: string, end: Ending): OpenHold | undefined {
    const held = this.#open.get(requestId)
    if (!held) return undefined
    this.#open.delete(requestId)
    this.#remember(held.whole ? { ...held, hold: held.whole } : held, end)
    return held
  }

  /** Notes that an orphan was refunded after all. */
  refund(requestId: string): void {
    const ended = this.#completedWith(requestId)
    const taken = ended?.endOf(requestId) === 'orphan' ? ended.taken(requestId) : undefined
    if (taken) this.#remember(taken, 'refunded')
  }

  /** The holds whose lease ran out. Looks through all only when one of them may have run out: once in a lease, while they are renewed. */
  due(at: EpochMs): OpenHold[] {
    if (this.#earliest > at) return []
    const due: OpenHold[] = []
    this.#earliest = Number.POSITIVE_INFINITY
    for (const held of this.#open.values()) {
      if (held.leaseUntil <= at) due.push(held)
      else this.#earliest = Math.min(this.#earliest, held.leaseUntil)
    }
    return due
  }

  #remember(taken: AdmittedRequest, end: Ending): void {
    if (this.#completed.isFull) {
      const oldest = this.#completedBefore
      for (const requestId of oldest.ids()) this.pass(requestId)
      oldest.clear()
      this.#completedBefore = this.#completed
      this.#completed = oldest
    }
    this.#completed.put(taken, end)
    const { requestId } = taken.hold
    if (requestId > this.#latest) this.#latest = requestId
  }

  /** The generation that has this request. */
  #completedWith(requestId: string): CompletedRequests | undefined {
    if (requestId > this.#latest) return undefined
    if (this.#completed.has(requestId)) return this.#completed
    return this.#completedBefore.has(requestId) ? this.#completedBefore : undefined
  }
}

/** Remembers at least this many completed requests, and at most twice as many; a repetition follows the first call within moments. */
const COMPLETED_KEPT = 5000

/** Plain request ids, without the signs in the keys of late and waste rows. They sort in memory as in the files. */
const PLAIN = /^\w+$/
