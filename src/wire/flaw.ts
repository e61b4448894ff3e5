import { isObject, type JsonObject } from './json.ts'

/** What no request may hold, wherever it stands. */
export interface Flaw {
  /** Names and indexes from the top to where it stands. */
  readonly path: readonly string[]
  readonly problem: string
}

/**
 * Finds what JSON can say and its readers take differently: a key that is a prototype to some, half a character, a number
 * that becomes null when it is written again. Values nest as deep as shapeProblem allows. Only a text with escapes can hold
 * half a character.
 */
export function flawIn(value: unknown, escapes: boolean): Flaw | undefined {
  switch (typeof value) {
    case 'string':
      return escapes && !value.isWellFormed() ? HALF : undefined
    case 'number':
      return Number.isFinite(value) ? undefined : ENDLESS
    case 'object':
      if (isObject(value)) return flawInObject(value, escapes)
      return Array.isArray(value) ? flawInList(value, escapes) : undefined
    default:
      return undefined
  }
}

const HALF: Flaw = { path: [], problem: 'must be well-formed Unicode; half of a surrogate pair stands alone' }
const ENDLESS: Flaw = { path: [], problem: 'is larger than any number that can be passed on' }
const PROTO = '__proto__'

function flawInList(list: readonly unknown[], escapes: boolean): Flaw | undefined {
  for (let i = 0; i < list.length; i++) {
    const flaw = flawIn(list[i], escapes)
    if (flaw) return below(String(i), flaw)
  }
  return undefined
}

function flawInObject(object: JsonObject, escapes: boolean): Flaw | undefined {
  // Own keys only: nothing that JSON.parse makes inherits one that is enumerable.
  for (const name in object) {
    if (name === PROTO) return { path: [PROTO], problem: 'is not accepted' }
    const flaw = flawIn(object[name], escapes) ?? flawIn(name, escapes)
    if (flaw) return below(name, flaw)
  }
  return undefined
}

const below = (step: string, { path, problem }: Flaw): Flaw => ({ path: [step, ...path], problem })
