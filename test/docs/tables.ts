/** The cells of a row of a table, trimmed. */
export type Row = readonly string[]

/** The tables of a page, each without its head. */
export function tablesIn(text: string): readonly (readonly Row[])[] {
  const tables = text.matchAll(/^\|.*\|\n\|[ :|-]+\|\n((?:\|.*\|(?:\n|$))+)/gm)
  return [...tables].map(([, rows = '']) => rows.trimEnd().split('\n').map(cellsOf))
}

const cellsOf = (row: string): Row =>
  row
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map(cell => cell.trim())

/** The code spans of a cell or a sentence, without their backticks. */
export const codesIn = (text: string): readonly string[] =>
  Array.from(text.matchAll(/`([^`\n]+)`/g), ([, code = '']) => code)

/** The subject of a row: the code that its first cell consists of, if it does. */
export const subjectOf = ([first = '']: Row): string | undefined => /^`([^`]+)`$/.exec(first)?.[1]

/**
 * The table that is about most of the names, so that a test finds it whatever the heading above it says; its rows have the names as
 * the only code of their first cells.
 */
export function tableAbout(names: Iterable<string>, text: string): readonly Row[] {
  const wanted = new Set<string | undefined>(names)
  const sharing = (table: readonly Row[]) => table.filter(row => wanted.has(subjectOf(row))).length
  return [...tablesIn(text)].sort((a, b) => sharing(b) - sharing(a))[0] ?? []
}
