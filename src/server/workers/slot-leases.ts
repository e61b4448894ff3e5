/**
 * Leases the `max_concurrent` slots of pools and replicas to workers. Slots are counted as they leave and as they come back, so
 * that no more are leased than there are. A worker may have asked for more than it needs by now: when a pool runs short, workers that wait
 * themselves are asked to give back too, and each then says what it still needs.
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

  /** This many requests wait in a worker. */
  want(slot: number, pool: string, places: number, most: number): void {
    const lent = this.#of(pool)
    lent.most = most
    const asked = lent.asked.find(each => each.slot === slot)
    if (asked) asked.places = places
    else lent.asked.push({ slot, places })
    this.#share(pool, lent)
    this.#recallFor(pool, lent)
  }

  /** A copy in a worker has a use for one slot: it gets one that no worker uses, while no request waits for one. */
  wantSpare(slot: number, pool: string, most: number): void {
    const lent = this.#of(pool)
    lent.most = most
    if (lent.asked.length > 0) return
    lent.copyAt = slot
    this.#share(pool, lent)
    if (lent.copyAt === undefined) return
    for (const [other, places] of lent.bySlot) if (places > 0 && other !== slot) this.#recall(other, pool, true)
  }

  /** A worker gives slots back, and waits for so many itself, behind those that asked before. */
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

  /** A worker that asks alone keeps what it has. */
  #recallFor(pool: string, { asked, bySlot }: PoolLeases): void {
    const [first, second] = asked
    if (!first) return
    for (const [slot, places] of bySlot)
      if (places > 0 && (second || slot !== first.slot)) this.#recall(slot, pool, false)
  }

  /** Leases what is free, first come, first served; what requests leave goes to a copy. */
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
  /** First come, first served. */
  asked: { readonly slot: number; places: number }[]
  /** The worker of the copy that asked last. */
  copyAt?: number | undefined
}
