import { withoutFraction } from '../../server/log/time-of-day.ts'
import type { LedgerRecord } from '../../wire/admin/usage-report.ts'
import { jsonLine, jsonText } from '../../wire/printable.ts'
import { type Column, tableText } from '../table.ts'
import { csvRow } from './csv.ts'

/** What reports and rows of the ledger are written in. */
export const FORMATS = ['text', 'json', 'csv', 'ndjson'] as const
export type Format = (typeof FORMATS)[number]

type Rows = AsyncIterable<LedgerRecord>

/** Rows of the ledger as they come: there may be more than this machine has room for. */
export const rowsIn: Readonly<Record<Format, (rows: Rows) => AsyncIterable<string>>> = {
  text: tables,
  json: jsonList,
  csv: csvLines,
  ndjson: jsonLines,
}

/** Rows below the same titles, which are aligned with each other. */
const PAGE = 1000

async function* tables(rows: Rows): AsyncGenerator<string, void, undefined> {
  let page: string[][] = []
  for await (const row of rows) {
    const { admitted_at, request_id, account, plan, model, pool, kind, input_tokens, output_tokens, usd } = row
    const names = [withoutFraction(admitted_at), request_id, account, plan, model, pool, kind]
    page.push([...names, String(input_tokens), String(output_tokens), usd])
    if (page.length < PAGE) continue
    yield `${tableText(COLUMNS, page)}\n`
    page = []
  }
  if (page.length > 0) yield `${tableText(COLUMNS, page)}\n`
}

const COLUMNS: readonly Column[] = [
  { title: 'ADMITTED', gives: 5 },
  { title: 'REQUEST' },
  { title: 'ACCOUNT', least: 10, gives: 4 },
  { title: 'PLAN', least: 6, gives: 2 },
  { title: 'MODEL', least: 8, gives: 6 },
  { title: 'POOL', least: 6, gives: 3 },
  { title: 'KIND', gives: 1 },
  { title: 'INPUT', number: true },
  { title: 'OUTPUT', number: true },
  { title: 'USD', number: true },
]

/** In the form of all other lists, a row a line. */
async function* jsonList(rows: Rows): AsyncGenerator<string, void, undefined> {
  yield '{"object":"list","data":['
  let before = '\n'
  for await (const row of rows) {
    yield before + jsonText(row)
    before = ',\n'
  }
  yield '\n]}\n'
}

async function* jsonLines(rows: Rows): AsyncGenerator<string, void, undefined> {
  for await (const row of rows) yield jsonLine(row)
}

async function* csvLines(rows: Rows): AsyncGenerator<string, void, undefined> {
  yield csvRow(LEDGER_FIELDS)
  for await (const row of rows)
    yield csvRow(LEDGER_FIELDS.map(field => (field === 'tools' ? toolsCell(row) : row[field])))
}

/** `docs_search:2 calculator:1` */
const toolsCell = ({ tools }: LedgerRecord): string =>
  Object.entries(tools ?? {})
    .map(([name, calls]) => `${name}:${calls}`)
    .join(' ')

const LEDGER_FIELDS = [
  'request_id',
  'account',
  'plan',
  'asked',
  'model',
  'pool',
  'input_tokens',
  'output_tokens',
  'cost_nano_usd',
  'usd',
  'kind',
  'estimated',
  'admitted_at',
  'settled_at',
  'revision',
  'route',
  'cause',
  'tools',
] as const satisfies readonly (keyof LedgerRecord)[]
