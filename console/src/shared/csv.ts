/** Rows as comma-separated values: RFC 4180. */
export const csv = (rows: readonly (readonly (string | number)[])[]): string =>
  rows.map(row => `${row.map(cell).join(',')}\r\n`).join('')

/** Spreadsheets take such a text for a formula: names may be of others. The same list as in src/wire/csv.ts. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/
const NUMBER = /^-?\d+(?:\.\d+)?$/

function cell(value: string | number): string {
  const text = String(value)
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
