import { Counter, Histogram, type Registry } from 'prom-client'

export interface CounterOptions {
  readonly name: string
  readonly help: string
  readonly labels: readonly string[]
  /** How many counted units make one shown unit: 1e9 shows nano-USD as USD. Counted are integers, so that sums are exact. */
  readonly per?: number
}

/** The sum of one series of a counter. */
export interface CounterSum {
  readonly labels: Readonly<Record<string, string>>
  sum: number
}

/** A counter whose sums are plain numbers, which cost a request next to nothing. prom-client gets them when metrics are read. */
export class CounterSeries {
  readonly #sums: SeriesByLabels<CounterSum>

  constructor(registry: Registry, { name, help, labels, per = 1 }: CounterOptions) {
    const sums = new SeriesByLabels<CounterSum>(labels, each => ({ labels: each, sum: 0 }))
    this.#sums = sums
    new Counter({
      name,
      help,
      labelNames: [...labels],
      registers: [registry],
      collect() {
        this.reset()
        for (const { labels, sum } of sums.all) this.inc(labels, sum / per)
      },
    })
  }

  /** Adds a whole number, not below 0, to the series with these label values, which are in the order of the labels. */
  add(amount: number, ...values: readonly string[]): void {
    this.of(...values).sum += amount
  }

  /** The sum of one series, for the caller to add to; it is shown from now on. */
  of(...values: readonly string[]): CounterSum {
    return this.#sums.of(values)
  }
}

export interface HistogramOptions {
  readonly name: string
  readonly help: string
  readonly labels: readonly string[]
  /** Upper bounds of the buckets. */
  readonly buckets: readonly number[]
}

/** A histogram that observes many values at a time, which costs a small part of observing each alone. */
export class HistogramSeries {
  readonly #series: SeriesByLabels<WaitingValues>

  constructor(registry: Registry, { name, help, labels, buckets }: HistogramOptions) {
    const collect = () => {
      for (const series of this.#series.all) observe(series)
    }
    const registers = [registry]
    const histogram = new Histogram({ name, help, labelNames: [...labels], buckets: [...buckets], registers, collect })
    this.#series = new SeriesByLabels(labels, each => {
      // Series are shown in the order in which they came.
      histogram.zero(each)
      return { histogram: histogram.labels(each), values: [] }
    })
  }

  /** Adds a value to the series with these label values, which are in the order of the labels. */
  add(value: number, ...labelValues: readonly string[]): void {
    const series = this.#series.of(labelValues)
    series.values.push(value)
    if (series.values.length >= MOST_WAITING) observe(series)
  }
}

/** Values of one series that wait to be observed together. */
const MOST_WAITING = 256

interface WaitingValues {
  readonly histogram: Histogram.Internal<string>
  readonly values: number[]
}

function observe({ histogram, values }: WaitingValues): void {
  for (const value of values) histogram.observe(value)
  values.length = 0
}

/** One object for each set of label values, in the order in which they came. No text is joined to find one. */
export class SeriesByLabels<T extends object> {
  readonly #names: readonly string[]
  readonly #make: (labels: Readonly<Record<string, string>>) => T
  readonly #root: Node<T> = { below: new Map() }
  readonly #all: T[] = []

  constructor(names: readonly string[], make: (labels: Readonly<Record<string, string>>) => T) {
    this.#names = names
    this.#make = make
  }

  /** The object of these label values, in the order of the labels; made when it is asked for the first time. */
  of(values: readonly string[]): T {
    let node = this.#root
    for (const value of values) node = nodeBelow(node, value)
    node.series ??= this.#add(values)
    return node.series
  }

  get all(): Iterable<T> {
    return this.#all
  }

  #add(values: readonly string[]): T {
    const made = this.#make(Object.fromEntries(this.#names.map((name, index) => [name, values[index] ?? ''])))
    this.#all.push(made)
    return made
  }
}

/** A tree with one level for each label. */
interface Node<T> {
  series?: T
  readonly below: Map<string, Node<T>>
}

function nodeBelow<T>({ below }: Node<T>, value: string): Node<T> {
  const found = below.get(value)
  if (found) return found
  const made = { below: new Map() }
  below.set(value, made)
  return made
}
