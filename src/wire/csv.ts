import { jsonText, printable } from './printable.ts'

/** One line of CSV with its end. RFC 4180. */
export const csvRow = (cells: readonly Cell[]): string => `${cells.map(csvCell).join(',')}\r\n`

/** The value of a cell; null is empty. */
export type Cell = string | number | boolean | null

/** Records as CSV, with a column for each field of any of them; `window.start` is that of an object in one. */
export function recordsCsv(records: readonly object[]): string {
  const rows = records.map(record => new Map(fieldsOf(record)))
  const fields = [...new Set(rows.flatMap(row => [...row.keys()]))]
  const cells = rows.map(row => fields.map(field => row.get(field) ?? null))
  return [...(fields.length > 0 ? [fields] : []), ...cells].map(csvRow).join('')
}

function fieldsOf(record: object, before = ''): [string, Cell][] {
  return Object.entries(record).flatMap(([name, value]: [string, unknown]): [string, Cell][] => {
    const field = before + name
    if (isCell(value)) return [[field, value]]
    if (!Array.isArray(value)) return value instanceof Object ? fieldsOf(value, `${field}.`) : []
    return [[field, value.every(isCell) ? value.join(' ') : jsonText(value)]]
  })
}

const isCell = (value: unknown): value is Cell =>
  value === null || ['string', 'number', 'boolean'].includes(typeof value)

/** Numbers may be negative; any other text that begins so would run as a formula in a spreadsheet. */
const NUMBER = /^-?\d+(?:\.\d+)?$/
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/

function csvCell(cell: Cell): string {
  // A quoted cell may have several lines.
  const written = printable(String(cell ?? ''))
  // An apostrophe makes it a text: names are chosen by clients and operators.
  const text = FORMULA.test(written) && !NUMBER.test(written) ? `'${written}` : written
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
