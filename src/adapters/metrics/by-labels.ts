/** What was made for the values that lead here, and what more values lead to. */
interface Node<T> {
  thing?: T
  readonly below: Map<string, Node<T>>
}

/** One thing for each set of labels, in the order in which they came. No text is put together to find one. */
export class ByLabels<T extends object> {
  readonly #names: readonly string[]
  readonly #make: (labels: Readonly<Record<string, string>>) => T
  readonly #root: Node<T> = { below: new Map() }
  readonly #all: T[] = []

  constructor(names: readonly string[], make: (labels: Readonly<Record<string, string>>) => T) {
    this.#names = names
    this.#make = make
  }

  /** The values are those of the labels, in their order. */
  of(values: readonly string[]): T {
    let node = this.#root
    for (const value of values) node = nodeBelow(node, value)
    node.thing ??= this.#add(values)
    return node.thing
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

function nodeBelow<T>({ below }: Node<T>, value: string): Node<T> {
  const found = below.get(value)
  if (found) return found
  const made = { below: new Map() }
  below.set(value, made)
  return made
}
