/** One line of CSV with its end. RFC 4180. */
export const csvRow = (cells: readonly Cell[]): string => `${cells.map(csvCell).join(',')}\r\n`

/** What a cell may hold; null is empty. */
export type Cell = string | number | boolean | null

/** Numbers may be negative; any other text that begins so would run as a formula in a spreadsheet. */
const NUMBER = /^-?\d+(?:\.\d+)?$/
/** Texts of clients and backends: none may move the cursor of a terminal. A quoted cell may have several lines. */
const UNSEEN = /(?![\t\r\n])[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/

function csvCell(cell: Cell): string {
  const written = String(cell ?? '').replace(UNSEEN, ' ')
  // An apostrophe makes it a text: names are chosen by clients and operators.
  const text = FORMULA.test(written) && !NUMBER.test(written) ? `'${written}` : written
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
