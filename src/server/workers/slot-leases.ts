/**
 * Leases the `max_concurrent` slots of pools and replicas to workers. It counts slots as they leave and return, so that it never
 * leases more than exist. A worker may hold more than it still needs: when a pool runs short, even waiting workers are asked to
 * return slots, and each reports what it still needs.
 */
export class SlotLeases {
  readonly #pools = new Map<string, PoolLeases>()
  readonly #lend: (slot: number, pool: string, places: number) => void
  /** Asks a worker to return its unused slots, or, unless it is for a copy, the next one that a request leaves. */
  readonly #recall: (slot: number, pool: string, forCopy: boolean) => void

  constructor(
    lend: (slot: number, pool: string, places: number) => void,
    recall: (slot: number, pool: string, forCopy: boolean) => void,
  ) {
    this.#lend = lend
    this.#recall = recall
  }

  /** A worker reports how many of its requests wait. */
  want(slot: number, pool: string, places: number, most: number): void {
    const lent = this.#of(pool)
    lent.most = most
    const asked = lent.asked.find(each => each.slot === slot)
    if (asked) asked.places = places
    else lent.asked.push({ slot, places })
    this.#share(pool, lent)
    this.#recallFor(pool, lent)
  }

  /** A worker wants one slot for a copy. It gets a free one while no request waits. */
  wantSpare(slot: number, pool: string, most: number): void {
    const lent = this.#of(pool)
    lent.most = most
    if (lent.asked.length > 0) return
    lent.copyAt = slot
    this.#share(pool, lent)
    if (lent.copyAt === undefined) return
    for (const [other, places] of lent.bySlot) if (places > 0 && other !== slot) this.#recall(other, pool, true)
  }

  /** A worker returns slots and reports how many it waits for; it queues behind workers that asked before. */
  giveBack(slot: number, pool: string, places: number, wanted: number): void {
    const lent = this.#of(pool)
    lent.bySlot.set(slot, Math.max(0, (lent.bySlot.get(slot) ?? 0) - places))
    lent.asked = lent.asked.filter(each => each.slot !== slot)
    this.#share(pool, lent)
    if (wanted > 0) lent.asked.push({ slot, places: wanted })
    this.#share(pool, lent)
    this.#recallFor(pool, lent)
  }

  /** A worker ended: its slots are free. */
  end(slot: number): void {
    for (const [pool, lent] of this.#pools) {
      lent.bySlot.delete(slot)
      lent.asked = lent.asked.filter(each => each.slot !== slot)
      if (lent.copyAt === slot) lent.copyAt = undefined
      this.#share(pool, lent)
    }
  }

  /** Recalls slots for a pool's waiting workers. A worker that waits alone keeps its slots. */
  #recallFor(pool: string, { asked, bySlot }: PoolLeases): void {
    const [first, second] = asked
    if (!first) return
    for (const [slot, places] of bySlot)
      if (places > 0 && (second || slot !== first.slot)) this.#recall(slot, pool, false)
  }

  /** Leases the free slots, first come, first served. A copy gets what requests leave over. */
  #share(pool: string, lent: PoolLeases): void {
    let free = lent.most - [...lent.bySlot.values()].reduce((sum, places) => sum + places, 0)
    while (free > 0) {
      const [first] = lent.asked
      if (!first) break
      const places = Math.min(free, first.places)
      free -= places
      first.places -= places
      if (first.places === 0) lent.asked.shift()
      this.#lendTo(first.slot, pool, lent, places)
    }
    const { copyAt } = lent
    if (free <= 0 || copyAt === undefined) return
    lent.copyAt = undefined
    this.#lendTo(copyAt, pool, lent, 1)
  }

  #lendTo(slot: number, pool: string, { bySlot }: PoolLeases, places: number): void {
    bySlot.set(slot, (bySlot.get(slot) ?? 0) + places)
    this.#lend(slot, pool, places)
  }

  #of(pool: string): PoolLeases {
    const known = this.#pools.get(pool)
    if (known) return known
    const lent: PoolLeases = { most: 0, bySlot: new Map(), asked: [] }
    this.#pools.set(pool, lent)
    return lent
  }
}

interface PoolLeases {
  most: number
  readonly bySlot: Map<number, number>
  /** The waiting workers, in order of arrival. */
  asked: { readonly slot: number; places: number }[]
  /** The worker of the copy that asked last. */
  copyAt?: number | undefined
}
