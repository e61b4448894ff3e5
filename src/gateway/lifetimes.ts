/** A member of a roster: it knows its place there. */
export interface Listed {
  place: number
}

/**
 * The things in use at present, in no order. A Set or a Map of what comes and goes with each request would keep it long
 * afterwards (docs/decisions/015): this array keeps nothing that was removed.
 */
export class Roster<T extends Listed> {
  readonly #all: T[] = []

  get size(): number {
    return this.#all.length
  }

  /** All that are there now. */
  get all(): readonly T[] {
    return [...this.#all]
  }

  /** For one that is in no roster. */
  add(one: T): void {
    one.place = this.#all.push(one) - 1
  }

  /** Does nothing when it is not there. */
  remove(one: T): void {
    const { place } = one
    if (this.#all[place] !== one) return
    const last = this.#all.pop()
    if (last === undefined || last === one) return
    // The last one moves up, so that no place is empty.
    this.#all[place] = last
    last.place = place
  }
}

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

  /** Those that are in use. */
  get all(): readonly T[] {
    return [...this.#open.values()].map(({ thing }) => thing)
  }
}

/** How many there are of what begins and ends: where only the number matters, none of them is kept (docs/decisions/015). */
export class UnderWay {
  #count = 0
  #quiet = () => {}

  begin(): void {
    this.#count++
  }

  end(): void {
    this.#count--
    if (this.#count === 0) this.#quiet()
  }

  /** Resolves once there is none. Only one caller may wait. */
  none(): Promise<void> {
    return new Promise(resolve => {
      this.#quiet = resolve
      if (this.#count === 0) resolve()
    })
  }
}

/** Makes each thing once, by its name. Beyond `most` of them all are forgotten, and made again as they are asked for. */
export function remembered<T extends NonNullable<unknown>>(
  most: number,
  make: (name: string) => T,
): (name: string) => T {
  const made = new Map<string, T>()
  return name => {
    const known = made.get(name)
    if (known !== undefined) return known
    if (made.size >= most) made.clear()
    const thing = make(name)
    made.set(name, thing)
    return thing
  }
}
