/** One thing for each set of labels, in the order in which they came. */
export class ByLabels<T> {
  readonly #names: readonly string[]
  readonly #make: (labels: Readonly<Record<string, string>>) => T
  readonly #all = new Map<string, T>()

  constructor(names: readonly string[], make: (labels: Readonly<Record<string, string>>) => T) {
    this.#names = names
    this.#make = make
  }

  /** The values are those of the labels, in their order. */
  of(values: readonly string[]): T {
    const key = values.join('\n')
    const found = this.#all.get(key)
    if (found) return found
    const made = this.#make(Object.fromEntries(this.#names.map((name, index) => [name, values[index] ?? ''])))
    this.#all.set(key, made)
    return made
  }

  get all(): Iterable<T> {
    return this.#all.values()
  }
}
