import { isMisspelt } from './known-names.ts'

/** A JSON object as it came in; nothing in it is trusted yet. */
export type JsonObject = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Nothing where there is no object. */
export const asObject = (value: unknown): JsonObject => (isObject(value) ? value : {})

/** A flaw that is not allowed anywhere in a request. */
export interface Flaw {
  /** Names and indexes from the top to its position. */
  readonly path: readonly string[]
  readonly problem: string
}

/**
 * Looks a parsed value through, once, for what JSON can say and its readers take differently: a key that is a prototype to
 * some, half a character, a number that becomes null when it is written again. Values nest as deep as readOutline allows.
 */
export class Inspection {
  /** Names in what was looked through. */
  names = 0
  /** Whether one of them is that of a known member in other letters; it may stand where clients make up names. */
  misspells = false
  readonly #halves: boolean

  /** `halves` is whether there may be half a character. */
  constructor(halves: boolean) {
    this.#halves = halves
  }

  flawIn(value: unknown): Flaw | undefined {
    switch (typeof value) {
      case 'string':
        return this.#halves && !value.isWellFormed() ? HALF : undefined
      case 'number':
        return Number.isFinite(value) ? undefined : ENDLESS
      case 'object':
        if (isObject(value)) return this.#inObject(value)
        return Array.isArray(value) ? this.#inList(value) : undefined
      default:
        return undefined
    }
  }

  #inList(list: readonly unknown[]): Flaw | undefined {
    for (let i = 0; i < list.length; i++) {
      const flaw = this.flawIn(list[i])
      if (flaw) return below(String(i), flaw)
    }
    return undefined
  }

  #inObject(object: JsonObject): Flaw | undefined {
    // Own keys only: nothing that JSON.parse makes inherits one that is enumerable.
    for (const name in object) {
      if (name === PROTO) return { path: [PROTO], problem: 'is not accepted' }
      this.names++
      if (isMisspelt(name)) this.misspells = true
      const flaw = this.flawIn(object[name]) ?? this.flawIn(name)
      if (flaw) return below(name, flaw)
    }
    return undefined
  }
}

const HALF: Flaw = { path: [], problem: 'must be well-formed Unicode; it has a lone surrogate' }
const ENDLESS: Flaw = { path: [], problem: 'is larger than any number that can be passed on' }
const PROTO = '__proto__'

const below = (step: string, { path, problem }: Flaw): Flaw => ({ path: [step, ...path], problem })

/** A client may choose the name, as long as its body. */
const MAX_LENGTH = 200

/** `["messages", "0", "role"]` is `messages[0].role`; nothing is the body itself. */
export function fieldName(path: readonly string[]): string {
  const name = path
    .map(step => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`))
    .join('')
    .replace(/^\./, '')
  return name.length > MAX_LENGTH ? `${name.slice(0, MAX_LENGTH)}…` : name || 'body'
}
