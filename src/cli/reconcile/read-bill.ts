import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { BillLine } from '../../policy/billing/bill/bill.ts'
import type { ProviderName } from '../../policy/providers/profile.ts'
import { readBounded } from '../../server/bounded-file.ts'
import { CommandFailed } from '../../server/failure.ts'
import { oneLine } from '../../wire/printable.ts'
import { BadLine, CSV_FORMATS, type CsvFormat, type ExportLine } from './bill-formats.ts'
import { jsonLines } from './bill-json.ts'
import { BadCsv, type CsvRow, csvRows } from './csv-rows.ts'

/** A provider's export, with the lines of each day, model and kind added up. */
export interface Bill {
  /** `OpenAI costs` */
  readonly format: string
  /** The providers whose pools it bills; absent if the export does not say. */
  readonly of?: readonly ProviderName[]
  readonly lines: readonly BillLine[]
  /** Lines that are no usage of models. */
  readonly leftOut: number
}

/** How names of the bill are read. */
export interface BillNames {
  /** The model of pools by its name in the bill, or that name. */
  readonly modelOf: (billed: string, provider: readonly ProviderName[] | undefined) => string
  /** The provider's projects that the gateway's keys belong to; empty: all. */
  readonly projects: readonly string[]
}

const MOST_JSON_BYTES = 64_000_000
const MOST_LINES = 200_000

/** Reads an export. CSV streams, of any length; JSON has up to 64 MB. Throws CommandFailed with the line of what is wrong. */
export async function readBill(file: string, names: BillNames): Promise<Bill> {
  try {
    const { chunks, head } = await opened(file)
    const first = head
      .toString('utf8')
      .replace(/^\uFEFF/, '')
      .trimStart()[0]
    if (first === '{' || first === '[') {
      const { lines, ...source } = jsonLines(readBounded(file, MOST_JSON_BYTES))
      return await gather(source, lines, names)
    }
    return await readCsv(chunks, names)
  } catch (error) {
    const line = error instanceof BadCsv || error instanceof LineFailed ? `:${error.line}` : ''
    const reason = error instanceof Error ? error.message : String(error)
    throw new CommandFailed(oneLine(`✗ ${file}${line}: ${reason}`))
  }
}

class LineFailed extends Error {
  override readonly name = 'LineFailed'
  readonly line: number

  constructor(line: number, message: string) {
    super(message)
    this.line = line
  }
}

const isPlain = (head: Buffer): boolean => head[0] !== 0x1f

/** The bytes of a file, unpacked where it is gzip, and its first ones. Throws for files of another kind. */
async function opened(file: string): Promise<{ chunks: AsyncIterable<Uint8Array>; head: Buffer }> {
  const raw = createReadStream(file)[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  const { value: head = Buffer.alloc(0) } = await raw.next()
  const kind = KINDS.find(({ magic }) => head.subarray(0, magic.length).equals(Buffer.from(magic)))
  if (kind) throw new BadLine(kind.says)
  async function* all() {
    yield head
    for (let next = await raw.next(); !next.done; next = await raw.next()) yield next.value
  }
  return { head, chunks: isPlain(head) ? all() : Readable.from(all()).pipe(createGunzip()) }
}

const KINDS = [
  { magic: [0x50, 0x41, 0x52, 0x31], says: 'this is Parquet; export the report as CSV (text, gzip or plain)' },
  { magic: [0x50, 0x4b, 0x03, 0x04], says: 'this is a ZIP archive or a workbook; unpack it, or save it as CSV' },
  { magic: [0xff, 0xfe], says: 'this is UTF-16; save it as UTF-8' },
  { magic: [0xfe, 0xff], says: 'this is UTF-16; save it as UTF-8' },
]

async function readCsv(chunks: AsyncIterable<Uint8Array>, names: BillNames): Promise<Bill> {
  const texts = decoded(chunks)
  const first = await texts.next()
  if (first.done || first.value.trim() === '') throw new BadLine('the file is empty')
  if (/^[{[]/.test(first.value.trimStart())) throw new BadLine('unpack the file first: JSON is read from plain files')
  async function* all() {
    yield first.value as string
    yield* texts
  }
  const rows = csvRows(all(), separatorOf(first.value))
  const header = await rows.next()
  if (header.done) throw new BadLine('the file is empty')
  const columns = header.value.cells.map(columnName)
  const format = formatOf(columns)
  return gather(format, linesOf(rows, columns, format), names)
}

async function* decoded(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  // A byte order mark at the beginning is left out.
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    for await (const chunk of chunks) {
      const text = decoder.decode(chunk, { stream: true })
      if (text !== '') yield text
    }
    yield decoder.decode()
  } catch (error) {
    if (error instanceof TypeError) throw new BadLine('the file is not UTF-8')
    throw error
  }
}

/** The separator that the first line has most of. */
function separatorOf(text: string): string {
  const line = text.slice(0, /[\r\n]/.exec(text)?.index ?? text.length)
  const counted = [',', '\t', ';'].map(separator => ({ separator, count: line.split(separator).length }))
  return counted.sort((a, b) => b.count - a.count)[0]?.separator ?? ','
}

/** `lineItem/UsageStartDate` and `ChargePeriodStart` as `snake_case`. */
const columnName = (written: string): string =>
  written
    .trim()
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll(/[/\s]+/g, '_')
    .toLowerCase()

function formatOf(columns: readonly string[]): CsvFormat {
  const twice = columns.find((column, at) => column !== '' && columns.indexOf(column) !== at)
  const missing = CSV_FORMATS.map(format => ({ format, lacks: format.columns.filter(each => !columns.includes(each)) }))
  const [best] = missing.sort((a, b) => a.lacks.length - b.lacks.length)
  if (best && best.lacks.length === 0) {
    if (twice !== undefined && best.format.columns.includes(twice))
      throw new LineFailed(1, `two columns are \`${twice}\``)
    return best.format
  }
  const isNear = best && best.lacks.length * 2 < best.format.columns.length
  const known = CSV_FORMATS.map(({ name }) => name).join(', ')
  throw new LineFailed(
    1,
    isNear
      ? `the export looks like ${best.format.name}, but lacks the columns ${best.lacks.join(', ')}`
      : `the columns match no known export (${known})`,
  )
}

async function* linesOf(
  rows: AsyncIterable<CsvRow>,
  columns: readonly string[],
  { read }: CsvFormat,
): AsyncGenerator<ExportLine | undefined, void, undefined> {
  const places = new Map(columns.map((column, at) => [column, at]))
  for await (const { cells, line } of rows) {
    if (cells.length !== columns.length)
      throw new LineFailed(line, `the record has ${cells.length} cells, and the header has ${columns.length}`)
    try {
      yield read(column => cells[places.get(column) ?? -1]?.trim() ?? '')
    } catch (error) {
      throw error instanceof BadLine ? new LineFailed(line, error.message) : error
    }
  }
}

/** Adds up lines, so that memory does not grow with the length of an export. */
async function gather(
  { name, of }: Pick<CsvFormat, 'name' | 'of'>,
  lines: AsyncIterable<ExportLine | undefined> | Iterable<ExportLine | undefined>,
  { modelOf, projects }: BillNames,
): Promise<Bill> {
  const sums = new Map<string, BillLine>()
  let leftOut = 0
  for await (const line of lines) {
    if (!line) leftOut++
    else {
      const isElsewhere = line.kind !== undefined && projects.length > 0 && !projects.includes(line.project)
      addLine(sums, { ...line, model: line.kind === undefined ? '' : modelOf(line.model, of), isElsewhere })
    }
  }
  if (sums.size === 0) throw new BadLine('the export has no usage of models')
  return { format: name, ...(of && { of }), lines: [...sums.values()], leftOut }
}

function addLine(sums: Map<string, BillLine>, line: ExportLine & { readonly isElsewhere: boolean }): void {
  const { day, model, kind, tokens, amount, isElsewhere } = line
  const key = `${day}\n${model}\n${kind}\n${tokens !== undefined}\n${isElsewhere}`
  const before = sums.get(key)
  if (!before && sums.size >= MOST_LINES) throw new BadLine(`there are more than ${MOST_LINES} days, models and kinds`)
  sums.set(key, {
    ...{ day, model, ...(kind !== undefined && { kind }), isElsewhere },
    ...(tokens !== undefined && { tokens: (before?.tokens ?? 0) + tokens }),
    ...{ amount: (before?.amount ?? 0n) + amount, lines: (before?.lines ?? 0) + 1 },
  })
}
