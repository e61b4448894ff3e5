import { Counter, type Registry } from 'prom-client'
import { ByLabels } from './by-labels.ts'

export interface SumsOptions {
  readonly name: string
  readonly help: string
  readonly labels: readonly string[]
  /** What is added of, for one of what is shown: 1e9 shows nano-USD as USD. The sums are integers, and so exact. */
  readonly per?: number
}

/** What was added for one set of labels. */
export interface Sum {
  readonly labels: Readonly<Record<string, string>>
  sum: number
}

/** Sums by labels, in plain numbers: a request hardly notices them. They become a counter when somebody asks. */
export class Sums {
  readonly #sums: ByLabels<Sum>

  constructor(registry: Registry, { name, help, labels, per = 1 }: SumsOptions) {
    const sums = new ByLabels<Sum>(labels, each => ({ labels: each, sum: 0 }))
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

  /** Adds a whole number, not below 0. The values are those of the labels, in their order. */
  add(amount: number, ...values: readonly string[]): void {
    this.of(...values).sum += amount
  }

  /** The sum of some labels, to be added to; it is shown from now on. */
  of(...values: readonly string[]): Sum {
    return this.#sums.of(values)
  }
}
