import { RE2JS } from 're2js'
import { isObject } from '../wire/json-safety.ts'

/** One thing that is not as it was expected; `path` leads to it, such as `headers.retry-after`. */
export interface Mismatch {
  readonly path: string
  readonly expected: unknown
  /** Undefined where there is nothing. */
  readonly got: unknown
}

/**
 * Compares what was got with what was expected of it: `absent` and `none` expect nothing, `/…/` and `/…/i` are regular
 * expressions (RE2), `{at_most: n}` and `{at_least: n}` are bounds. A map expects a part of a map, a list all of a list.
 */
export function mismatches(expected: unknown, got: unknown, path: string): readonly Mismatch[] {
  const bounds = boundsOf(expected)
  if (bounds) return verdict(isWithin(got, bounds), { path, expected, got })
  if (isObject(expected)) {
    const parts = isObject(got) ? got : {}
    return Object.entries(expected).flatMap(([name, each]) => mismatches(each, parts[name], `${path}.${name}`))
  }
  if (Array.isArray(expected)) return verdict(isSameList(expected, got), { path, expected, got })
  return verdict(isSameScalar(expected, got), { path, expected, got })
}

const verdict = (same: boolean, mismatch: Mismatch): readonly Mismatch[] => (same ? [] : [mismatch])

interface Bounds {
  readonly least: number
  readonly most: number
}

/** Set for a map of bounds and nothing else. */
export function boundsOf(expected: unknown): Bounds | undefined {
  if (!isObject(expected)) return undefined
  const names = Object.keys(expected)
  if (names.length === 0 || !names.every(name => name === 'at_most' || name === 'at_least')) return undefined
  const { at_least: least = Number.NEGATIVE_INFINITY, at_most: most = Number.POSITIVE_INFINITY } = expected
  return typeof least === 'number' && typeof most === 'number' ? { least, most } : undefined
}

/** A header is a number as well as a text. */
function isWithin(got: unknown, { least, most }: Bounds): boolean {
  const number = typeof got === 'string' && got.trim() !== '' ? Number(got) : got
  return typeof number === 'number' && number >= least && number <= most
}

const isSameList = (expected: readonly unknown[], got: unknown): boolean =>
  Array.isArray(got) &&
  got.length === expected.length &&
  expected.every((each, index) => mismatches(each, got[index], '').length === 0)

function isSameScalar(expected: unknown, got: unknown): boolean {
  if (expected === 'absent' || expected === 'none') return got === undefined
  const pattern = patternOf(expected)
  if (pattern) return isScalar(got) && pattern.test(String(got))
  // Headers hold text alone.
  return got === expected || (typeof got === 'string' && isScalar(expected) && got === String(expected))
}

const isScalar = (value: unknown): boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'

/** The regular expression of a text in slashes; undefined for any other text. Throws when RE2 cannot run it. */
export function patternOf(expected: unknown): RE2JS | undefined {
  if (typeof expected !== 'string') return undefined
  const { pattern, flag } = /^\/(?<pattern>.+)\/(?<flag>i?)$/s.exec(expected)?.groups ?? {}
  if (pattern === undefined) return undefined
  return RE2JS.compile(pattern, flag === 'i' ? RE2JS.CASE_INSENSITIVE : 0)
}

/** Whether a text matches what it does not name: nothing, or a pattern. */
export const isMatcher = (text: string): boolean => text === 'none' || text === 'absent' || /^\/.+\/i?$/s.test(text)
