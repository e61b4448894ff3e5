import type { Registry } from 'prom-client'
import { type Counted, MergedMetrics } from '../../adapters/metrics/merged.ts'
import type { Millis } from '../../policy/config.ts'
import type { Vitals } from '../../wire/admin/process.ts'
import { within } from '../world.ts'
import { type ProcessMetrics, VitalsMetrics } from './vitals.ts'

/** Stands for the store process in place of a slot. */
export const STORE = -1

/** The counts of a gateway's processes, by slot. Counts of a process that ended are final. */
export class ProcessCounts {
  readonly #metrics = new MergedMetrics()
  readonly #vitals = new VitalsMetrics()
  readonly #underWay = new Map<number, number>()
  /** The number of ended processes by slot. */
  readonly #ended = new Map<number, number>()

  know(slot: number, { counted, vitals, underWay }: ProcessMetrics): void {
    this.#underWay.set(slot, underWay)
    this.#metrics.know(slot, counted)
    this.#vitals.know(nameOf(slot), vitals)
  }

  /** The process of a slot ended; its counts stay in the sums. */
  end(slot: number): void {
    this.#ended.set(slot, this.#endedIn(slot) + 1)
    this.#vitals.end(nameOf(slot))
    this.#underWay.delete(slot)
    this.#metrics.end(slot)
  }

  /**
   * Takes in each process's answer as it arrives: a process that answered and then ended while another is awaited would
   * otherwise be counted twice. Resolves after the slowest answer, or at the deadline; a late process keeps its last
   * counts.
   */
  async recount(asked: ReadonlyMap<number, Promise<ProcessMetrics>>, most: Millis): Promise<void> {
    const heard = [...asked].map(async ([slot, answer]) => {
      const ended = this.#endedIn(slot)
      const metrics = await answer.catch(() => undefined)
      if (metrics && this.#endedIn(slot) === ended) this.know(slot, metrics)
    })
    await within(most, Promise.all(heard))
  }

  underWayOf(slot: number): number {
    return this.#underWay.get(slot) ?? 0
  }

  /** Running requests of all workers. */
  get underWay(): number {
    return [...this.#underWay.values()].reduce((sum, each) => sum + each, 0)
  }

  vitalsOf(slot: number): Vitals | undefined {
    return this.#vitals.of(nameOf(slot))
  }

  /** Together with this process's own counts. */
  registries(own: Counted): readonly Registry[] {
    return [this.#metrics.all(own), this.#vitals.registry]
  }

  #endedIn(slot: number): number {
    return this.#ended.get(slot) ?? 0
  }
}

const nameOf = (slot: number): string => (slot === STORE ? 'store' : String(slot))
