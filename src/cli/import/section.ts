import { isObject } from '../../wire/json-safety.ts'

/** A field of the source that has no place here, and why. */
export interface Left {
  readonly path: string
  readonly why: string
}

/** Fields of the source, of which each is taken or reported: nothing is dropped silently. */
export class Section {
  readonly #fields: Readonly<Record<string, unknown>>
  readonly #taken = new Set<string>()
  readonly #refused: Left[] = []
  readonly path: string

  constructor(value: unknown, path: string) {
    this.#fields = isObject(value) ? value : {}
    this.path = path
    if (value !== undefined && value !== null && !isObject(value)) this.#refused.push({ path, why: 'it is no map' })
  }

  /** The value of a field, which counts as imported. */
  take(name: string): unknown {
    this.#taken.add(name)
    return this.#fields[name] ?? undefined
  }

  text(name: string): string | undefined {
    const value = this.take(name)
    if (value === undefined || typeof value === 'string') return value
    return typeof value === 'number' ? String(value) : this.refuse(name, 'it is no text')
  }

  /** A number that is written in the file; one of the environment is not known here. */
  number(name: string): number | undefined {
    const value = this.take(name)
    if (value === undefined) return undefined
    const number =
      typeof value === 'string' && /^[\d_]+(\.\d+)?(e-?\d+)?$/i.test(value) ? Number(value.replaceAll('_', '')) : value
    if (typeof number === 'number' && Number.isFinite(number) && number >= 0) return number
    return this.refuse(name, 'it is no number in the file')
  }

  /** The names of all fields. */
  names(): readonly string[] {
    return Object.keys(this.#fields)
  }

  section(name: string): Section {
    return new Section(this.take(name), this.#at(name))
  }

  /** The entries of a list, each a map. */
  list(name: string): readonly Section[] {
    const value = this.take(name)
    if (value !== undefined && !Array.isArray(value)) this.refuse(name, 'it is no list')
    return Array.isArray(value) ? value.map((each, at) => new Section(each, `${this.#at(name)}[${at}]`)) : []
  }

  /** All fields that are texts. */
  texts(): readonly (readonly [name: string, text: string])[] {
    return this.names().flatMap(name => {
      const text = this.text(name)
      return text === undefined ? [] : [[name, text] as const]
    })
  }

  refuse(name: string, why: string): undefined {
    this.#refused.push({ path: this.#at(name), why })
    return undefined
  }

  #at(name: string): string {
    return this.path === '' ? name : `${this.path}.${name}`
  }

  /** What was refused, and every field that was not taken, with a reason where it has one. */
  left(reasons: Readonly<Record<string, string>>): readonly Left[] {
    const others = Object.keys(this.#fields).filter(name => !this.#taken.has(name))
    return [
      ...this.#refused,
      ...others.map(name => ({
        path: this.#at(name),
        why: (Object.hasOwn(reasons, name) && reasons[name]) || UNKNOWN,
      })),
    ]
  }
}

const UNKNOWN = 'this import does not know it'
