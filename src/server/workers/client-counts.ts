import type { Elsewhere } from '../../http/listener/connections.ts'
import type { Millis } from '../../policy/config.ts'

/** How many requests clients have running, by their addresses. */
export type ClientCounts = readonly (readonly [string, number])[]

/**
 * A worker's view of the requests that other workers serve for a client whom a proxy brings. Ten times a second it
 * reports the clients with many, and hears of those of the others: a client with few may be anywhere.
 */
export class CountsElsewhere implements Elsewhere {
  #others: ReadonlyMap<string, number> = new Map()
  #here: { above(count: number): ClientCounts } | undefined
  #wasReported = false

  /** `floor` is how many are few. */
  constructor(report: (counts: ClientCounts) => void, floor: () => number) {
    setInterval(() => {
      const counts = this.#here?.above(floor()) ?? []
      if (counts.length > 0 || this.#wasReported) report(counts)
      this.#wasReported = counts.length > 0
    }, REPORTED_MS).unref()
  }

  readonly attach = (here: { above(count: number): ClientCounts }): void => {
    this.#here = here
  }

  countOf(client: string): number {
    return this.#others.get(client) ?? 0
  }

  know(others: ClientCounts): void {
    this.#others = new Map(others)
  }
}

/** Adds up what workers report of clients, for each of them what the others have. */
export class CountsOfWorkers {
  readonly #bySlot = new Map<number, ClientCounts>()
  readonly #tell: (slot: number, others: ClientCounts) => void

  constructor(tell: (slot: number, others: ClientCounts) => void) {
    this.#tell = tell
  }

  /** `slots` are those of the present workers. */
  report(from: number, counts: ClientCounts, slots: number): void {
    this.#bySlot.set(from, counts)
    this.#tellOthers(from, slots)
  }

  /** A worker ended, and its requests with it. The others may have nothing to report, and would never hear of it. */
  end(ended: number, slots: number): void {
    this.#bySlot.delete(ended)
    this.#tellOthers(ended, slots)
  }

  #tellOthers(but: number, slots: number): void {
    for (let slot = 0; slot < slots; slot++) if (slot !== but) this.#tell(slot, this.#othersOf(slot))
  }

  #othersOf(slot: number): ClientCounts {
    const sums = new Map<string, number>()
    for (const [from, counts] of this.#bySlot) {
      if (from === slot) continue
      for (const [client, count] of counts) sums.set(client, (sums.get(client) ?? 0) + count)
    }
    return [...sums]
  }
}

const REPORTED_MS: Millis = 100
