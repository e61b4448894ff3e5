/** One record of a CSV file: its cells, and the line that it begins in. */
export interface CsvRow {
  readonly cells: readonly string[]
  readonly line: number
}

/** Text that is no CSV, with the line where that shows. */
export class BadCsv extends Error {
  override readonly name = 'BadCsv'
  readonly line: number

  constructor(line: number, message: string) {
    super(message)
    this.line = line
  }
}

/** A record is read whole; nothing else of a file is kept. */
const MOST_CHARS = 1_000_000

/**
 * Reads RFC 4180 records from pieces of text: quoted cells with separators, quotes and line breaks, and lines that end in CRLF, LF
 * or CR. Empty lines are skipped. Throws BadCsv for a quote that does not close, text behind a closing quote, and a record of more
 * than a million characters.
 */
export async function* csvRows(
  texts: AsyncIterable<string>,
  separator: string,
): AsyncGenerator<CsvRow, void, undefined> {
  const parser = new CsvParser(separator)
  for await (const text of texts) yield* parser.read(text)
  yield* parser.end()
}

type State = 'start' | 'plain' | 'quoted' | 'closed'

class CsvParser {
  readonly #separator: string
  #state: State = 'start'
  #cells: string[] = []
  #cell = ''
  #chars = 0
  #line = 1
  #firstLine = 1
  #wasReturn = false

  constructor(separator: string) {
    this.#separator = separator
  }

  *read(text: string): Generator<CsvRow, void, undefined> {
    for (const char of text) {
      if (++this.#chars > MOST_CHARS)
        throw new BadCsv(this.#firstLine, 'the record is longer than a million characters; a quote may not be closed')
      const isSecondHalf = char === '\n' && this.#wasReturn
      this.#wasReturn = char === '\r'
      if (isSecondHalf && this.#state !== 'quoted') continue
      if (this.#take(char)) yield* this.#endRow()
      if ((char === '\n' && !isSecondHalf) || char === '\r') this.#line++
      if (this.#chars === 0) this.#firstLine = this.#line
    }
  }

  *end(): Generator<CsvRow, void, undefined> {
    if (this.#state === 'quoted') throw new BadCsv(this.#firstLine, 'a quote does not close before the end of the file')
    if (this.#cells.length > 0 || this.#cell !== '' || this.#state === 'closed') yield* this.#endRow()
  }

  /** Whether the record ends with this character. */
  #take(char: string): boolean {
    if (this.#state === 'quoted') {
      if (char === '"') this.#state = 'closed'
      else this.#cell += char
      return false
    }
    if (char === '\n' || char === '\r') return true
    if (char === this.#separator) this.#endCell()
    else if (char === '"' && this.#state !== 'plain') {
      // A doubled quote within quotes is one.
      if (this.#state === 'closed') this.#cell += char
      this.#state = 'quoted'
    } else {
      if (this.#state === 'closed') throw new BadCsv(this.#line, 'text follows a closing quote')
      this.#state = 'plain'
      this.#cell += char
    }
    return false
  }

  #endCell(): void {
    this.#cells.push(this.#cell)
    this.#cell = ''
    this.#state = 'start'
  }

  *#endRow(): Generator<CsvRow, void, undefined> {
    const isEmpty = this.#cells.length === 0 && this.#cell === '' && this.#state === 'start'
    this.#endCell()
    const cells = this.#cells
    this.#cells = []
    this.#chars = 0
    if (!isEmpty) yield { cells, line: this.#firstLine }
  }
}
