import type { painter } from '../server/paint.ts'
import { terminalWidth, widthOf, wrapped } from './table.ts'

/** A sentence and the place in the files that it is about. */
export interface Placed {
  /** Stands before the sentence and may be coloured. */
  readonly head: string
  readonly text: string
  readonly place?: string
}

/** Places stand below each other, unless a sentence is longer than this. */
const MOST_TEXT = 84
/** Sentences are not squeezed into less beside their places: the places then stand below them. */
const LEAST_TEXT = 32
const GAP = 2

/**
 * Sentences with their places, each in a column of its own where the terminal has room for both. Heads take
 * `indent` columns. Piped, each sentence and its place stay on one line.
 */
export function placedLines(
  placed: readonly Placed[],
  indent: number,
  paint: ReturnType<typeof painter>,
  width: number = terminalWidth(),
): readonly string[] {
  const longestPlace = Math.max(0, ...placed.map(({ place }) => (place === undefined ? 0 : widthOf(place))))
  const longestText = Math.min(MOST_TEXT, Math.max(0, ...placed.map(({ text }) => widthOf(text))))
  const beside = Math.min(longestText, width - indent - GAP - longestPlace)
  const isBeside = beside >= Math.min(longestText, LEAST_TEXT)
  return placed.flatMap(({ head, text, place }) => {
    const whole = indent + widthOf(text) + (place !== undefined && isBeside ? GAP + widthOf(place) : 0)
    const room = isBeside && place !== undefined ? beside : width - indent
    const [first = '', ...more] = whole <= width ? [text] : wrapped(text, room)
    const below = more.map(line => ' '.repeat(indent) + line)
    if (place === undefined) return [head + first, ...below]
    const dim = paint('dim', place)
    if (!isBeside) return [head + first, ...below, ' '.repeat(indent) + dim]
    return [`${head}${first}${' '.repeat(Math.max(0, beside - widthOf(first)) + GAP)}${dim}`, ...below]
  })
}

/** Texts that go on below where they begin, `indent` columns further in, where the terminal has no room for them. */
export const foldedText = (text: string, indent = 0, width: number = terminalWidth()): string =>
  text
    .split('\n')
    .map(line => {
      const own = /^ */.exec(line)?.[0] ?? ''
      const room = width - own.length - indent
      const [first = '', ...more] = wrapped(line.slice(own.length), Math.max(LEAST_TEXT, room))
      return [own + first, ...more.map(rest => own + ' '.repeat(indent) + rest)].join('\n')
    })
    .join('\n')
