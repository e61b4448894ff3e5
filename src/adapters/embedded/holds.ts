import type { Settlement } from '../../gateway/store/hold-store.ts'
import type { EpochMs } from '../../policy/config.ts'
import { type End, Ended, type Taken } from './ended.ts'

/** A request under way. */
export interface Held extends Taken {
  readonly leaseUntil: EpochMs
  /** Its checkpoint. */
  readonly soFar?: Settlement
  /** Whether it was known when it was admitted that no row has its id, so that its settlement need not look. */
  readonly isNew?: boolean
}

/** Ended requests that are remembered at least, and at most twice as many; a repetition follows the first call within moments. */
const ENDED_KEPT = 5000

/** As ids of requests are, without the signs that set keys of other rows apart; in the order of the files too. */
const PLAIN = /^\w+$/

/** The requests under way, and some of those that ended. In memory, and all of it is synchronous. */
export class Holds {
  readonly #open = new Map<string, Held>()
  /** Full, it becomes the older one: to delete the first of a Map again and again is slow. */
  #ended = new Ended(ENDED_KEPT)
  #endedBefore = new Ended(ENDED_KEPT)
  /** The greatest id of those. Ids grow with time: one that comes is greater, and need not be looked for. */
  #latest = ''
  /** No lease ends before this moment. */
  #earliest: EpochMs = Number.POSITIVE_INFINITY
  /** Beyond this id no request ever had a row, but for those remembered here. */
  #passed: string

  /** `passed` is the last key of the ledger, empty when there is none. */
  constructor(passed = '') {
    this.#passed = passed
  }

  /**
   * Whether a request that is not remembered can have no row: ids grow with time, and this one is greater than all
   * that were forgotten. False says nothing.
   */
  isNew(requestId: string): boolean {
    return requestId > this.#passed && PLAIN.test(requestId)
  }

  /** Notes that a request has a row, although it held nothing. */
  pass(requestId: string): void {
    if (requestId > this.#passed) this.#passed = requestId
  }

  /** The hold of a request under way. */
  get(requestId: string): Held | undefined {
    return this.#open.get(requestId)
  }

  /** What was admitted, under way or ended. */
  taken(requestId: string): Taken | undefined {
    return this.#open.get(requestId) ?? this.#endedWith(requestId)?.taken(requestId)
  }

  /** How a request ended, as far as that is remembered. */
  endOf(requestId: string): End | undefined {
    return this.#endedWith(requestId)?.endOf(requestId)
  }

  put(held: Held): void {
    this.#open.set(held.hold.requestId, held)
    this.#earliest = Math.min(this.#earliest, held.leaseUntil)
  }

  /** The hold that ended; undefined when there is none. */
  end(requestId: string, end: End): Held | undefined {
    const held = this.#open.get(requestId)
    if (!held) return undefined
    this.#open.delete(requestId)
    this.#remember(held, end)
    return held
  }

  /** Notes that an orphan was refunded after all. */
  refund(requestId: string): void {
    const ended = this.#endedWith(requestId)
    const taken = ended?.endOf(requestId) === 'orphan' ? ended.taken(requestId) : undefined
    if (taken) this.#remember(taken, 'refunded')
  }

  /** Those whose lease ran out. Looks at all only when one of them may have: that is once in a lease, while they are renewed. */
  due(at: EpochMs): Held[] {
    if (this.#earliest > at) return []
    const due: Held[] = []
    this.#earliest = Number.POSITIVE_INFINITY
    for (const held of this.#open.values()) {
      if (held.leaseUntil <= at) due.push(held)
      else this.#earliest = Math.min(this.#earliest, held.leaseUntil)
    }
    return due
  }

  #remember(taken: Taken, end: End): void {
    if (this.#ended.isFull) {
      const oldest = this.#endedBefore
      for (const requestId of oldest.ids()) this.pass(requestId)
      oldest.clear()
      this.#endedBefore = this.#ended
      this.#ended = oldest
    }
    this.#ended.put(taken, end)
    const { requestId } = taken.hold
    if (requestId > this.#latest) this.#latest = requestId
  }

  /** Those of which it is one. */
  #endedWith(requestId: string): Ended | undefined {
    if (requestId > this.#latest) return undefined
    if (this.#ended.has(requestId)) return this.#ended
    return this.#endedBefore.has(requestId) ? this.#endedBefore : undefined
  }
}
