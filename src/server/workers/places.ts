/**
 * The places of pools that have a most of requests at once, lent to workers. What was lent and not given back is never
 * more than there are, at no moment: places are counted as they leave and as they come.
 */
export class Places {
  readonly #pools = new Map<string, Lent>()
  readonly #lend: (slot: number, pool: string, places: number) => void
  /** Asks the others than this one to give places back. */
  readonly #recall: (slot: number, pool: string) => void

  constructor(
    lend: (slot: number, pool: string, places: number) => void,
    recall: (slot: number, pool: string) => void,
  ) {
    this.#lend = lend
    this.#recall = recall
  }

  want(slot: number, pool: string, places: number, most: number): void {
    const lent = this.#of(pool)
    lent.most = most
    const asked = lent.asked.find(each => each.slot === slot)
    if (asked) asked.places = Math.max(asked.places, places)
    else lent.asked.push({ slot, places })
    this.#share(pool, lent)
    if (lent.asked.length > 0) this.#recall(slot, pool)
  }

  giveBack(slot: number, pool: string, places: number): void {
    const lent = this.#of(pool)
    lent.bySlot.set(slot, Math.max(0, (lent.bySlot.get(slot) ?? 0) - places))
    this.#share(pool, lent)
    const [first] = lent.asked
    if (first) this.#recall(first.slot, pool)
  }

  /** A worker ended: what it had is free. */
  end(slot: number): void {
    for (const [pool, lent] of this.#pools) {
      lent.bySlot.delete(slot)
      lent.asked = lent.asked.filter(each => each.slot !== slot)
      this.#share(pool, lent)
    }
  }

  /** To those that asked first, as much as there is. */
  #share(pool: string, lent: Lent): void {
    let free = lent.most - [...lent.bySlot.values()].reduce((sum, places) => sum + places, 0)
    while (free > 0) {
      const [first] = lent.asked
      if (!first) return
      const places = Math.min(free, first.places)
      free -= places
      first.places -= places
      if (first.places === 0) lent.asked.shift()
      lent.bySlot.set(first.slot, (lent.bySlot.get(first.slot) ?? 0) + places)
      this.#lend(first.slot, pool, places)
    }
  }

  #of(pool: string): Lent {
    const known = this.#pools.get(pool)
    if (known) return known
    const lent: Lent = { most: 0, bySlot: new Map(), asked: [] }
    this.#pools.set(pool, lent)
    return lent
  }
}

interface Lent {
  most: number
  readonly bySlot: Map<number, number>
  /** First come, first served. */
  asked: { readonly slot: number; places: number }[]
}
