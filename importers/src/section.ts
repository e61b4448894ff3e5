import { isObject } from './json.ts'

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
    if (value !== undefined && value !== null && !isObject(value)) this.#refused.push({ path, why: 'it is not a map' })
  }

  /** The value of a field, which counts as imported. */
  take(name: string): unknown {
    this.#taken.add(name)
    return this.#fields[name] ?? undefined
  }

  text(name: string): string | undefined {
    const value = this.take(name)
    if (value === undefined || typeof value === 'string') return value
    return typeof value === 'number' ? String(value) : this.refuse(name, 'it is not a text')
  }

  /** A number that is written in the file; one of the environment is not known here. */
  number(name: string): number | undefined {
    const value = this.take(name)
    if (value === undefined) return undefined
    const number =
      typeof value === 'string' && /^[\d_]+(\.\d+)?(e-?\d+)?$/i.test(value) ? Number(value.replaceAll('_', '')) : value
    if (typeof number === 'number' && Number.isFinite(number) && number >= 0) return number
    return this.refuse(name, 'it is not a number in the file')
  }

  /** The names of all fields. */
  names(): readonly string[] {
    return Object.keys(this.#fields)
  }

  section(name: string): Section {
    return new Section(this.take(name), this.pathOf(name))
  }

  /** The entries of a list, each a map. */
  list(name: string): readonly Section[] {
    const value = this.take(name)
    if (value !== undefined && !Array.isArray(value)) this.refuse(name, 'it is not a list')
    return Array.isArray(value) ? value.map((each, at) => new Section(each, `${this.pathOf(name)}[${at}]`)) : []
  }

  /** All fields that are texts. */
  texts(): readonly (readonly [name: string, text: string])[] {
    return this.names().flatMap(name => {
      const text = this.text(name)
      return text === undefined ? [] : [[name, text] as const]
    })
  }

  refuse(name: string, why: string): undefined {
    this.#refused.push({ path: this.pathOf(name), why })
    return undefined
  }

  pathOf(name: string): string {
    return this.path === '' ? name : `${this.path}.${name}`
  }

  /** The refused fields, and every field that was not taken and says something, with a reason where it has one. */
  left(reasons: Readonly<Record<string, string>>): readonly Left[] {
    const others = Object.keys(this.#fields).filter(name => !this.#taken.has(name) && !isEmpty(this.#fields[name]))
    return [
      ...this.#refused,
      ...others.map(name => ({
        path: this.pathOf(name),
        why: (Object.hasOwn(reasons, name) && reasons[name]) || UNKNOWN,
      })),
    ]
  }
}

/** The number in the first of several synonymous fields that has one. Refuses a different number in the others. */
export function firstNumber(...fields: readonly (readonly [Section, string])[]): number | undefined {
  const said = fields.flatMap(([section, name]) => {
    const number = section.number(name)
    return number === undefined ? [] : [{ section, name, number }]
  })
  const [first] = said
  for (const { section, name, number } of said)
    if (first && number !== first.number) section.refuse(name, `${first.section.pathOf(first.name)} takes precedence`)
  return first?.number
}

/** Exports of databases have a field for everything. */
const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  (Array.isArray(value) && value.length === 0) ||
  (isObject(value) && Object.keys(value).length === 0)

const UNKNOWN = 'the import does not know this setting'
