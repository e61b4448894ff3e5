/** Things that several holders share by key: made for the first, closed when the last has given it back. */
export class Shared<T> {
  readonly #open = new Map<string, { readonly thing: T; holders: number }>()
  readonly #close: (thing: T) => void

  constructor(close: (thing: T) => void) {
    this.#close = close
  }

  /** The one of this key; `giveBack` is to be called once. */
  take(key: string, make: () => T): { readonly thing: T; readonly giveBack: () => void } {
    const open = this.#open.get(key) ?? { thing: make(), holders: 0 }
    this.#open.set(key, open)
    open.holders++
    const giveBack = () => {
      open.holders--
      if (open.holders > 0) return
      this.#open.delete(key)
      this.#close(open.thing)
    }
    return { thing: open.thing, giveBack }
  }

  /** Those that somebody holds. */
  get all(): readonly T[] {
    return [...this.#open.values()].map(({ thing }) => thing)
  }
}
