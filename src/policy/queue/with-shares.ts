import type { Millis } from '../time.ts'
import { FairQueue, type FullQueue, type QueueBounds, type Queued } from './fair-queue.ts'
import type { ReportedShare, ShareElsewhere } from './shared-slots.ts'

/** A request in the queue of a pool that may have shares. */
export interface OwnedRequest extends Queued {
  /** The owner of the share that it counts in; absent where it counts in none. */
  readonly owner?: string
  /** Set once it got one of the slots that its share guarantees. */
  isGuaranteed?: boolean
}

/** Slots that are guaranteed to the requests of an owner. */
export interface Guarantee {
  readonly owner: string
  readonly slots: number
}

const NO_BOUNDS: QueueBounds = {
  max: Number.POSITIVE_INFINITY,
  ofAccount: Number.POSITIVE_INFINITY,
  bytes: Number.POSITIVE_INFINITY,
}

/**
 * The order in which requests get slots of a pool with shares. The owner that holds the smallest part of its guarantee, and
 * less than all of it, gets the next slot while any of its requests waits; otherwise the slot goes in the order of the pool, in
 * which all requests stand. Within a share there is a fair order of its own: slots that a share guarantees count in that one
 * alone, so that the accounts of an owner are as far in the order of the pool as they would be without a share.
 */
export class QueueWithShares<Q extends OwnedRequest> {
  /** The order of the pool, in which all requests stand that wait. */
  readonly order = new FairQueue<Q>()
  /** The orders within shares, by owner. */
  readonly #shares = new Map<string, FairQueue<Q>>()
  /** Slots by owner: of its requests that run here, or keep their slot between two attempts. */
  readonly #held = new Map<string, number>()
  #guarantees: readonly Guarantee[] = []
  /** Slots and requests of owners in the other processes that share the slots. */
  #elsewhere = new Map<string, ShareElsewhere>()

  /** These are guaranteed from now on. */
  guarantee(guarantees: readonly Guarantee[]): void {
    this.#guarantees = guarantees
  }

  /** Slots and requests of each owner here, for the other processes; undefined without shares. */
  get shares(): readonly ReportedShare[] | undefined {
    if (this.#guarantees.length === 0) return undefined
    return this.#guarantees.map(({ owner, slots }) => ({
      ...{ owner, slots },
      held: this.heldBy(owner),
      waiting: this.waitingOf(owner),
    }))
  }

  /** The owners of these shares have this in the other processes; without any, they have nothing there. */
  hear(told: readonly ReportedShare[] = [], elsewhere: readonly ShareElsewhere[] = []): void {
    this.#elsewhere = new Map(
      told.map(({ owner }, index) => [owner, elsewhere[index] ?? { held: 0, waiting: 0 }] as const),
    )
  }

  /**
   * The place of the request that a guarantee gives the free slot to: this process or another one. Undefined if no owner is owed
   * a slot.
   */
  owes(): 'here' | 'elsewhere' | undefined {
    const here = this.#furthestBelow(owner => this.waitingOf(owner))
    const anywhere = this.#furthestBelow(owner => this.waitingOf(owner) + (this.#elsewhere.get(owner)?.waiting ?? 0))
    if (anywhere === undefined) return undefined
    if (anywhere === here) return 'here'
    const { held, waiting } = this.#elsewhere.get(anywhere) ?? { held: 0, waiting: 0 }
    this.#elsewhere.set(anywhere, { held: held + 1, waiting: waiting - 1 })
    return 'elsewhere'
  }

  /** Slots that the requests of an owner hold. */
  heldBy(owner: string): number {
    return this.#held.get(owner) ?? 0
  }

  /** Requests of an owner that wait. */
  waitingOf(owner: string): number {
    return this.#shares.get(owner)?.size ?? 0
  }

  /** Lets a request wait from `now` on; or says which bound leaves no place for it. */
  enter(request: Q, now: Millis, bounds: QueueBounds): FullQueue | undefined {
    const full = this.order.enter(request, now, bounds)
    if (!full) this.#shareOf(request)?.enter(request, now, NO_BOUNDS)
    return full
  }

  /** Takes a request out that waits no longer, and starts nothing. */
  leave(request: Q, now: Millis): void {
    this.order.leave(request, now)
    this.#shareOf(request)?.leave(request, now)
  }

  /** Starts the request whose turn it is, where one waits. It holds a slot until it is released. */
  next(now: Millis, aging: Millis): Q | undefined {
    const owner = this.#furthestBelow(each => this.waitingOf(each))
    const guaranteed = owner === undefined ? undefined : this.#shares.get(owner)?.next(now, aging)
    if (guaranteed) this.order.leave(guaranteed, now)
    const request = guaranteed ?? this.order.next(now, aging)
    if (!request) return undefined
    if (!guaranteed) this.#shareOf(request)?.leave(request, now)
    this.#hold(request, guaranteed !== undefined)
    return request
  }

  /** Starts a request that does not have to wait. It holds a slot until it is released. */
  start(request: Q): void {
    const guarantee = this.#guarantees.find(({ owner }) => owner === request.owner)
    const isGuaranteed = guarantee !== undefined && this.#heldByAll(guarantee.owner) < guarantee.slots
    const order = (isGuaranteed ? this.#shareOf(request) : undefined) ?? this.order
    order.start(request)
    this.#hold(request, isGuaranteed)
  }

  /** A request that was started is over, and cost so many tokens. */
  end(request: Q, tokens: number): void {
    const order = (request.isGuaranteed ? this.#shareOf(request) : undefined) ?? this.order
    order.end(request, tokens)
  }

  /** A request that was started holds its slot no longer. */
  release({ owner }: Pick<Q, 'owner'>): void {
    if (owner !== undefined) this.#held.set(owner, this.heldBy(owner) - 1)
  }

  #hold(request: Q, isGuaranteed: boolean): void {
    const { owner } = request
    request.isGuaranteed = isGuaranteed
    if (owner !== undefined) this.#held.set(owner, this.heldBy(owner) + 1)
  }

  /** The owner whose turn it is by its guarantee: of equal ones the first that is declared. */
  #furthestBelow(waitingOf: (owner: string) => number): string | undefined {
    let furthest: (Guarantee & { readonly held: number }) | undefined
    for (const { owner, slots } of this.#guarantees) {
      const held = this.#heldByAll(owner)
      if (held >= slots || waitingOf(owner) <= 0) continue
      if (!furthest || held * furthest.slots < furthest.held * slots) furthest = { owner, slots, held }
    }
    return furthest?.owner
  }

  /** Slots that the requests of an owner hold in all processes. */
  #heldByAll(owner: string): number {
    return this.heldBy(owner) + (this.#elsewhere.get(owner)?.held ?? 0)
  }

  #shareOf({ owner }: Q): FairQueue<Q> | undefined {
    if (owner === undefined) return undefined
    const known = this.#shares.get(owner)
    if (known) return known
    const share = new FairQueue<Q>()
    this.#shares.set(owner, share)
    return share
  }
}
