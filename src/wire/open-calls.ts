import { asObject, type JsonObject } from './json-safety.ts'
import { isCount } from './usage/usage.ts'

/** A call of a tool of which more parts may come. */
interface OpenCall {
  /** Id and name as far as they came: undefined or empty until they do. */
  readonly id: unknown
  readonly name: unknown
}

/** The calls of one choice, as parts of them come. */
export class OpenCalls<C extends OpenCall> {
  readonly #calls: { readonly place: number | undefined; readonly call: C }[] = []
  readonly #begin: (index: number) => C

  /** `begin` makes a call from its place among all of them. */
  constructor(begin: (index: number) => C) {
    this.#begin = begin
  }

  get all(): readonly C[] {
    return this.#calls.map(({ call }) => call)
  }

  get any(): boolean {
    return this.#calls.length > 0
  }

  /**
   * The call that a part belongs to. Backends that send calls whole may number none of them, or all alike: then a name with
   * another id begins one.
   */
  of(part: JsonObject): C {
    const { index, id } = part
    const place = isCount(index) ? index : undefined
    const open = this.#openAt(place, id)
    const isOther = isText(id) ? id !== open?.id : place === undefined
    if (open && !(isText(asObject(part.function).name) && isText(open.name) && isOther)) return open
    const call = this.#begin(this.#calls.length)
    this.#calls.push({ place, call })
    return call
  }

  #openAt(place: number | undefined, id: unknown): C | undefined {
    if (place !== undefined) return this.#calls.findLast(each => each.place === place)?.call
    const known = isText(id) ? this.#calls.findLast(({ call }) => call.id === id) : undefined
    return (known ?? this.#calls.at(-1))?.call
  }
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
