import type { Elsewhere } from '../../http/listener/connections.ts'
import type { Millis } from '../../policy/config.ts'

/** How many requests clients have running, by their addresses. */
export type ClientCounts = readonly (readonly [string, number])[]

/**
 * A worker's view of the requests that other workers run for clients behind a trusted proxy. Ten times a second it
 * reports clients with many requests and receives those of the others. A client with few may connect anywhere, so it is
 * not reported.
 */
export class CountsElsewhere implements Elsewhere {
  #others: ReadonlyMap<string, number> = new Map()
  #here: { above(count: number): ClientCounts } | undefined
  #wasReported = false

  /** A client with at most `floor` requests is not reported. */
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

/** Adds up the workers' reports, and computes for each worker what the others run. */
export class CountsOfWorkers {
  readonly #bySlot = new Map<number, ClientCounts>()
  readonly #tell: (slot: number, others: ClientCounts) => void

  constructor(tell: (slot: number, others: ClientCounts) => void) {
    this.#tell = tell
  }

  /** `slots` is the number of present workers. */
  report(from: number, counts: ClientCounts, slots: number): void {
    this.#bySlot.set(from, counts)
    this.#tellOthers(from, slots)
  }

  /**
   * A worker ended, and so did its requests. Tells the others now: without reports of their own they would never learn
   * of it.
   */
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
