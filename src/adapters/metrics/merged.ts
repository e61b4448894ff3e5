import { AggregatorRegistry, type MetricObjectWithValues, type MetricValue, type Registry } from 'prom-client'

/** What one process counted, as `Metrics#json` gives it. */
export type Counted = readonly MetricObjectWithValues<MetricValue<string>>[]

/**
 * The metrics of several processes as one. What a process counted that ended stays in the sums: a counter never falls. Its
 * gauges go with it.
 */
export class MergedMetrics {
  /** By process, what is known of it last. */
  readonly #last = new Map<number, Counted>()
  #ended: readonly Counted[] = []
  #isAdding = false

  /** What a process counted up to now. */
  know(process: number, counted: Counted): void {
    if (counted.length > 0) this.#last.set(process, counted)
  }

  /** Nothing more comes of this process. */
  end(process: number): void {
    const last = this.#last.get(process)
    this.#last.delete(process)
    if (!last) return
    this.#ended = [...this.#ended, last.filter(({ type }) => !isGauge(type))]
    void this.#add()
  }

  /** Makes one of those that ended, so that they stay few. */
  async #add(): Promise<void> {
    if (this.#isAdding || this.#ended.length < MOST_ENDED) return
    this.#isAdding = true
    const parts = this.#ended
    const sum = await added(parts)
    this.#ended = [sum, ...this.#ended.slice(parts.length)]
    this.#isAdding = false
  }

  /** With what this process counted. */
  all(own: Counted): Registry {
    return AggregatorRegistry.aggregate([own, ...this.#ended, ...this.#last.values()].map(each => [...each]))
  }
}

const MOST_ENDED = 4

const added = async (parts: readonly Counted[]): Promise<Counted> =>
  (await AggregatorRegistry.aggregate(parts.map(each => [...each])).getMetricsAsJSON()) as unknown as Counted

/** prom-client says a number or a name. */
const isGauge = (type: unknown): boolean => type === 'gauge'
