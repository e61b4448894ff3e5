import { Histogram, type Registry } from 'prom-client'
import { ByLabels } from './by-labels.ts'

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
  readonly #series: ByLabels<Series>

  constructor(registry: Registry, { name, help, labels, buckets }: SpreadOptions) {
    const collect = () => {
      for (const series of this.#series.all) tell(series)
    }
    const registers = [registry]
    const histogram = new Histogram({ name, help, labelNames: [...labels], buckets: [...buckets], registers, collect })
    this.#series = new ByLabels(labels, each => {
      // Shown in the order in which they came.
      histogram.zero(each)
      return { told: histogram.labels(each), waiting: [] }
    })
  }

  /** Adds a value. Those that follow are of the labels, in their order. */
  add(value: number, ...values: readonly string[]): void {
    const series = this.#series.of(values)
    series.waiting.push(value)
    if (series.waiting.length >= MOST_WAITING) tell(series)
  }
}

function tell({ told, waiting }: Series): void {
  for (const value of waiting) told.observe(value)
  waiting.length = 0
}
