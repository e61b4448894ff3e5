import { Histogram, type Registry } from 'prom-client'

export interface SpreadOptions {
  readonly name: string
  readonly help: string
  readonly labels: readonly string[]
  /** Upper bounds of the buckets. */
  readonly buckets: readonly number[]
}

/** So many values of one series wait. */
const MOST_WAITING = 256

interface Series {
  readonly told: Histogram.Internal<string>
  readonly waiting: number[]
}

/** How values are spread, by labels. Telling a histogram of many at a time takes a small part of telling it of each. */
export class Spread {
  readonly #names: readonly string[]
  readonly #histogram: Histogram
  readonly #series = new Map<string, Series>()

  constructor(registry: Registry, { name, help, labels, buckets }: SpreadOptions) {
    this.#names = labels
    const collect = () => {
      for (const series of this.#series.values()) tell(series)
    }
    const registers = [registry]
    this.#histogram = new Histogram({ name, help, labelNames: [...labels], buckets: [...buckets], registers, collect })
  }

  /** Adds a value. Those that follow are of the labels, in their order. */
  add(value: number, ...values: readonly string[]): void {
    const series = this.#seriesOf(values)
    series.waiting.push(value)
    if (series.waiting.length >= MOST_WAITING) tell(series)
  }

  #seriesOf(values: readonly string[]): Series {
    const key = values.join('\n')
    const found = this.#series.get(key)
    if (found) return found
    const labels = Object.fromEntries(this.#names.map((name, index) => [name, values[index] ?? '']))
    // Shown in the order in which they came.
    this.#histogram.zero(labels)
    const series = { told: this.#histogram.labels(labels), waiting: [] }
    this.#series.set(key, series)
    return series
  }
}

function tell({ told, waiting }: Series): void {
  for (const value of waiting) told.observe(value)
  waiting.length = 0
}
