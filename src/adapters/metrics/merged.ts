import { AggregatorRegistry, type MetricObjectWithValues, type MetricValue, type Registry } from 'prom-client'

/** The counts of one process, as `Metrics#json` gives them. */
export type Counted = readonly MetricObjectWithValues<MetricValue<string>>[]

/**
 * The metrics of several processes as one. The counts of an ended process stay in the sums, so counters never fall. Its gauges
 * disappear.
 */
export class MergedMetrics {
  /** The last values of each process. */
  readonly #last = new Map<number, Counted>()
  #ended: readonly Counted[] = []
  #isAdding = false
  /** The values shown last, by series. */
  readonly #shown = new Map<string, number>()

  /** Takes in the counts of a process up to now. */
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
    const registry = AggregatorRegistry.aggregate([own, ...this.#ended, ...this.#last.values()].map(each => [...each]))
    for (const metric of registry.getMetricsAsArray())
      if (!isGauge(metric.type)) this.#keepUp(metric as unknown as Added)
    return registry as Registry
  }

  /** Sums of fractions differ by a rounding where their order changes: a counter that falls by that looks as if it began anew. */
  #keepUp({ name, values }: Added): void {
    for (const each of values) {
      const series = `${each.metricName ?? name}${JSON.stringify(Object.entries(each.labels).sort())}`
      const shown = this.#shown.get(series) ?? 0
      if (each.value < shown && shown - each.value < shown * ROUNDING) each.value = shown
      else this.#shown.set(series, each.value)
    }
  }
}

const MOST_ENDED = 4

/** The part of a sum that the order of adding may change, at most. */
const ROUNDING = 1e-12

/** A metric that was added up. */
interface Added {
  readonly name: string
  readonly values: { readonly metricName?: string; readonly labels: object; value: number }[]
}

const added = async (parts: readonly Counted[]): Promise<Counted> =>
  (await AggregatorRegistry.aggregate(parts.map(each => [...each])).getMetricsAsJSON()) as unknown as Counted

/** prom-client says a number or a name. */
const isGauge = (type: unknown): boolean => type === 'gauge'
