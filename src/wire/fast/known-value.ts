/**
 * Values that come again in one request after the other, such as the tools of an agent. All requests that bring the same bytes
 * share one value, so nothing may change it, and what was found in it once holds for each of them.
 */
const facts = new WeakMap<object, unknown[]>()

/** Keeps from now on what is found in a value that nothing changes. */
export function know<V extends object>(value: V): V {
  if (!facts.has(value)) facts.set(value, [])
  return value
}

export const isKnown = (value: unknown): boolean => typeof value === 'object' && value !== null && facts.has(value)

/** How many kinds of facts there are. */
let kinds = 0

/** A kind of facts about known values; other values have none. */
export class Fact<F> {
  readonly #place = kinds++

  of(value: unknown): F | undefined {
    const known = typeof value === 'object' && value !== null ? facts.get(value) : undefined
    return known?.[this.#place] as F | undefined
  }

  keep(value: unknown, fact: F): void {
    const known = typeof value === 'object' && value !== null ? facts.get(value) : undefined
    if (known) known[this.#place] = fact
  }
}

/** Finds something in a value, and in a known one only the first time. The result must depend on the value alone. */
export function oncePerValue<F, V = unknown>(find: (value: V) => F): (value: V) => F {
  const fact = new Fact<{ readonly found: F }>()
  return value => {
    if (!isKnown(value)) return find(value)
    const known = fact.of(value)
    if (known) return known.found
    const found = find(value)
    fact.keep(value, { found })
    return found
  }
}
