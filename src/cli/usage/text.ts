import { type NanoUsd, nanoUsd } from '../../policy/nano-usd.ts'
import { inOrder } from '../../records/fields.ts'
import { withoutFraction } from '../../server/log/terminal-text.ts'
import { LEDGER_RECORD_NAMES, type LedgerRecord } from '../../wire/admin/ledger-record.ts'
import type { UsageRecord, UsageReport, WasteRecord } from '../../wire/admin/usage-report.ts'
import { type Cell, csvRow } from '../../wire/csv.ts'
import { usdText } from '../../wire/money.ts'
import { jsonLine, jsonText } from '../../wire/printable.ts'
import type { Format } from '../kit/formats.ts'
import { alignPoints, type Column, tableText } from '../kit/table.ts'

/** A report as people read it: a line for each group, most expensive first or day by day, and the sum of all. */
export function usageTable({ by, data }: UsageReport): string {
  const groups = by.split(',')
  const labelled = groups.findIndex(isLabelled)
  // The label before the id: it is what people know an account by.
  const withLabel = <Item>(items: readonly Item[], label: Item) =>
    labelled === -1 ? items : [...items.slice(0, labelled), label, ...items.slice(labelled)]
  return totalled(
    withLabel(groups.map(columnOf), { title: 'ACCOUNT', least: 12 }),
    'REQUESTS',
    data.map(record => ({
      ...record,
      names: withLabel(groupsOf(record), record.label ?? ''),
      count: record.requests,
    })),
  )
}

const columnOf = (group: string): Column => {
  if (isLabelled(group)) return { title: group === 'key' ? 'KEY' : 'ID', gives: 1 }
  return { title: group.toUpperCase(), least: 10 }
}

/** Whether a group is of an account. */
const isLabelled = (group: string): boolean => group === 'account' || group === 'key'

const groupsOf = ({ group, groups = [group] }: UsageRecord): readonly string[] => groups

/** The cost of failed attempts as people read it: a line for each pool, and the sum of all. */
export const wasteTable = ({ waste }: UsageReport): string =>
  totalled(
    [{ title: 'POOL', least: 10 }],
    'FAILED ATTEMPTS',
    waste.map(record => ({ ...record, names: [record.pool], count: record.attempts })),
  )

/** A report as CSV, without a row for the sum: spreadsheets add up by themselves. */
export function usageCsv({ by, data }: UsageReport): string {
  const groups = by.split(',')
  const withLabel = groups.some(isLabelled)
  const names = withLabel ? [...groups, 'label'] : groups
  const numbers = ['requests', ...SUMS, 'saved_nano_usd', 'saved_usd'] as const
  const cells = (record: UsageRecord) => [
    ...groupsOf(record),
    ...(withLabel ? [record.label ?? null] : []),
    ...numbers.map(field => record[field] ?? null),
  ]
  return [[...names, ...numbers], ...data.map(cells)].map(csvRow).join('')
}

/** The cost of failed attempts as CSV, without a row for the sum. */
export const wasteCsv = ({ waste }: UsageReport): string =>
  [WASTE_FIELDS, ...waste.map(record => WASTE_FIELDS.map(field => record[field]))].map(csvRow).join('')

const SUMS = [
  'input_tokens',
  'output_tokens',
  'cost_nano_usd',
  'usd',
  'cached_tokens',
  'cache_write_tokens',
] as const satisfies readonly (keyof UsageRecord)[]

const WASTE_FIELDS = ['pool', 'attempts', ...SUMS] as const satisfies readonly (keyof WasteRecord)[]

/** The counts under some names. */
export interface Line {
  readonly names: readonly string[]
  readonly count: number
  readonly input_tokens: number
  readonly cached_tokens: number
  readonly cache_write_tokens: number
  readonly output_tokens: number
  readonly cost_nano_usd: NanoUsd
  readonly usd: string
  readonly saved_nano_usd?: NanoUsd
}

/** A table of lines and their sum, under the columns of their names and the title of what was counted. */
function totalled(names: readonly Column[], counted: string, lines: readonly Line[]): string {
  const sum = (field: (typeof COUNTS)[number] | 'cost_nano_usd') =>
    lines.reduce((total, line) => total + line[field], 0)
  const saved = lines.reduce((total, { saved_nano_usd = 0 }) => total + saved_nano_usd, 0)
  const savedCells = (amount: number | undefined) =>
    saved === 0 ? [] : [amount === undefined ? '' : usdText(nanoUsd(amount))]
  const rows = lines.map(line => [
    ...[...line.names, ...COUNTS.map(field => String(line[field]))],
    ...[...savedCells(line.saved_nano_usd), line.usd],
  ])
  const columns = [...names, { title: counted, number: true } as const, ...TOKENS, ...(saved === 0 ? [] : [SAVED]), USD]
  const total = [
    'TOTAL',
    ...Array.from({ length: names.length - 1 }, () => ''),
    ...COUNTS.map(field => String(sum(field))),
    ...savedCells(saved),
    usdText(nanoUsd(sum('cost_nano_usd'))),
  ]
  const aligned = alignPoints([...rows, total], columns.length - 1)
  return `${tableText(columns, saved === 0 ? aligned : alignPoints(aligned, columns.length - 2))}\n`
}

const COUNTS = ['count', 'input_tokens', 'cached_tokens', 'cache_write_tokens', 'output_tokens'] as const

/** Cached tokens are a part of the tokens in. */
const TOKENS: readonly Column[] = [
  { title: 'TOKENS IN', number: true },
  { title: 'CACHED', number: true, gives: 3 },
  { title: 'CACHE WRITES', number: true, gives: 2 },
  { title: 'TOKENS OUT', number: true },
]

/** How much more the cached tokens would have cost: the column is there if that is anything, and empty where it is unknown. */
const SAVED: Column = { title: 'SAVED', number: true, gives: 4 }

const USD: Column = { title: 'USD', number: true }

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
    const { admitted_at, request_id, account, label, plan, model, pool, kind, usd } = row
    const names = [withoutFraction(admitted_at), request_id, label ?? '', account, plan, model, pool, kind]
    const counts = [row.input_tokens, row.cached_tokens, row.cache_write_tokens, row.output_tokens]
    page.push([...names, ...counts.map(String), usd])
    if (page.length < PAGE) continue
    yield `${tableText(COLUMNS, page)}\n`
    page = []
  }
  if (page.length > 0) yield `${tableText(COLUMNS, page)}\n`
}

const COLUMNS: readonly Column[] = [
  { title: 'ADMITTED', gives: 5 },
  { title: 'REQUEST' },
  { title: 'ACCOUNT', least: 10, gives: 7 },
  { title: 'ID', gives: 4 },
  { title: 'PLAN', least: 6, gives: 2 },
  { title: 'MODEL', least: 8, gives: 6 },
  { title: 'POOL', least: 6, gives: 3 },
  { title: 'KIND', gives: 1 },
  ...TOKENS,
  USD,
]

/** A list object, as every other list is printed, with one row on each line. */
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
  yield csvRow(CSV_NAMES)
  for await (const row of rows) yield csvRow(CSV_NAMES.map(name => cellOf(row[name])))
}

/** Counts by name: `docs_search:2 calculator:1` */
const cellOf = (value: LedgerRecord[keyof LedgerRecord]): Cell =>
  typeof value === 'object' && value !== null
    ? Object.entries(value)
        .map(([name, count]) => `${name}:${count}`)
        .join(' ')
    : value

/** The columns, in the order that they have always had. New ones follow behind. */
const CSV_NAMES = inOrder<keyof LedgerRecord>(
  [
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
    'cached_tokens',
    'cache_write_tokens',
    'key',
    'label',
  ],
  // The costs of tools are in JSON alone.
  LEDGER_RECORD_NAMES.filter(name => name !== 'tool_costs_nano_usd'),
)
