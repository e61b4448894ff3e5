import { closest, distance } from 'fastest-levenshtein'

/** The name that was probably meant: at most a third of its letters away. */
export function meant(name: string, known: readonly string[]): string | undefined {
  if (known.length > MOST_NAMES || name.length > LONGEST_NAME) return undefined
  const names = known.filter(each => Math.abs(each.length - name.length) <= Math.max(1, each.length / 3))
  if (names.length === 0) return undefined
  const best = closest(name.toLowerCase(), names)
  const slips = distance(name.toLowerCase(), best.toLowerCase())
  return slips <= Math.max(1, Math.floor(best.length / 3)) ? best : undefined
}

/** A hint that names what was probably meant, or else all there is to choose from. */
export function suggestion(name: string, known: readonly string[]): string {
  const best = meant(name, known)
  if (best) return `did you mean \`${best}\`?`
  if (known.length === 0) return 'none is declared'
  const shown = known.slice(0, 6).map(each => `\`${each}\``)
  return `known: ${shown.join(', ')}${known.length > shown.length ? ', …' : ''}`
}

/** More names than this are not compared: a file in which every name is wrong would take minutes. */
const MOST_NAMES = 2000

/** A longer text is not compared, since a name has at most 64 characters. */
const LONGEST_NAME = 100

/** Hints for the names that are wrong in one way. Operators with more wrong names read the first of them. */
export const MOST_HINTS = 100
