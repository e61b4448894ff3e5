import { columnsOf, type painter } from '../../server/log/terminal-text.ts'
import { oneLine } from '../../wire/printable.ts'

/** A column of a table, and how it gives way where the terminal has no room for all. */
export interface Column {
  readonly title: string
  /** Aligned right. */
  readonly number?: true
  /** The texts may be cut to this many columns. Without it nothing is cut: a number that lost digits is another number. */
  readonly least?: number
  /** Others give way before this one is cut. */
  readonly whole?: true
  /** The column may be left out; the one with the lowest number goes first. */
  readonly gives?: number
}

const GAP = 2

/**
 * Rows below their titles, aligned, in as many columns as the terminal has. Piped, nothing is cut or left out. No cell
 * leaves its line; a last line names the columns that are left out.
 */
export function tableText(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width: number = terminalWidth(),
): string {
  const cells = [columns.map(({ title }) => title), ...rows].map(row => row.map(oneLine))
  const natural = columns.map((_, column) => Math.max(...cells.map(row => widthOf(row[column] ?? ''))))
  const widths = widthsIn(columns, natural, width)
  const hidden = columns.flatMap(({ title }, column) => (widths[column] === 0 && title !== '' ? [title] : []))
  const lines = cells.map(row => lineOf(columns, row, widths))
  return [...lines, ...(hidden.length > 0 ? [foldedText(hiddenText(hidden), 0, width)] : [])].join('\n')
}

/** Pads the decimals of a column, so that its points stand below each other. */
export function alignPoints(rows: readonly (readonly string[])[], column: number): readonly (readonly string[])[] {
  const decimals = (text = '') => (text.includes('.') ? text.length - text.indexOf('.') : 0)
  const most = Math.max(0, ...rows.map(row => decimals(row[column])))
  return rows.map(row => row.map((cell, index) => (index === column ? cell + ' '.repeat(most - decimals(cell)) : cell)))
}

/** Names the columns that a terminal has no room for, so that nobody takes the table for all there is. */
const hiddenText = (titles: readonly string[]): string =>
  `Not shown: ${titles.join(', ')}. Widen the terminal, or pipe to \`less -S\`.`

/** The width of stdout; infinite without a terminal, or on one that does not say its width. */
export const terminalWidth = (): number => columnsOf(process.stdout)

/** The width of each column in the room, 0 where it is left out. */
export function widthsIn(columns: readonly Column[], natural: readonly number[], room: number): readonly number[] {
  const widths = [...natural]
  const least = (index: number) => Math.min(natural[index] ?? 0, columns[index]?.least ?? Number.POSITIVE_INFINITY)
  const taken = (of: (index: number) => number) =>
    widths.reduce((sum, width, index) => (width === 0 ? sum : sum + of(index) + GAP), -GAP)
  const giving = columns
    .flatMap(({ gives }, index) => (gives === undefined ? [] : [{ index, gives }]))
    .sort((a, b) => a.gives - b.gives)
  const kept = (index: number) => (columns[index]?.whole ? (natural[index] ?? 0) : least(index))
  for (const { index } of giving) if (taken(kept) > room) widths[index] = 0
  for (;;) {
    const excess = taken(index => widths[index] ?? 0) - room
    const [widest] = widths
      .map((width, index) => ({ width, index }))
      .filter(({ width, index }) => width > least(index))
      .sort((a, b) => b.width - a.width)
    if (excess <= 0 || !widest) return widths
    widths[widest.index] = widest.width - 1
  }
}

/** Cells in their widths; the last one is not filled up. */
export function lineOf(columns: readonly Column[], cells: readonly string[], widths: readonly number[]): string {
  return cells
    .flatMap((cell, index) => {
      const width = widths[index] ?? 0
      if (width === 0) return []
      return [columns[index]?.number ? ' '.repeat(Math.max(0, width - widthOf(cell))) + cell : clip(cell, width)]
    })
    .join(' '.repeat(GAP))
    .trimEnd()
}

/** Rows as aligned columns, none of which is cut: names and values, or a matrix. No cell leaves its line. */
export function table(rows: readonly (readonly string[])[]): string {
  const cells = rows.map(row => row.map(oneLine))
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map(row => widthOf(row[column] ?? ''))))
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => clip(cell, widths[column] ?? 0))
      .join('  ')
      .trimEnd()
  return cells.map(line).join('\n')
}

/** East Asian letters and emoji take two columns of a terminal. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f680}-\u{1faff}\u{20000}-\u{3fffd}]/u
/** Accents that are written onto the letter before, and joiners, take none. */
const NARROW = /[\p{Mn}\p{Me}\p{Cf}]/u
const PLAIN = /^[\x20-\x7e]*$/

/** How many columns of a terminal a text takes. */
export function widthOf(text: string): number {
  if (PLAIN.test(text)) return text.length
  let width = 0
  for (const character of text) width += WIDE.test(character) ? 2 : NARROW.test(character) ? 0 : 1
  return width
}

/** A text in exactly this many columns: filled up with blanks, or cut, with `…` at its end. */
export function clip(text: string, width: number): string {
  const own = widthOf(text)
  if (own <= width) return text + ' '.repeat(width - own)
  if (width <= 0) return ''
  let cut = ''
  let taken = 0
  for (const character of text) {
    const next = widthOf(character)
    if (taken + next > width - 1) break
    cut += character
    taken += next
  }
  return `${cut}…${' '.repeat(width - 1 - taken)}`
}

/**
 * A text in lines of at most this many columns, broken between words. A word that is longer has a line of its own; a
 * number stays with what it counts.
 */
export function wrapped(text: string, width: number): readonly string[] {
  let line = ''
  const lines: string[] = []
  for (const word of text.split(BREAK)) {
    if (line !== '' && widthOf(line) + 1 + widthOf(word) > width) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line]
}

/** A blank, except between a number and the following word. */
const BREAK = /(?<!(?:^|[ ($])[\d.,]+) | (?=[^A-Za-z])/

/** A sentence and the place in the files that it is about. */
export interface Placed {
  /** Precedes the sentence and may be coloured. */
  readonly head: string
  readonly text: string
  readonly place?: string
}

/** Places are aligned, unless a sentence is longer than this. */
const MOST_TEXT = 84
/** Sentences get at least this width next to their places; otherwise the places move below them. */
const LEAST_TEXT = 32

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
