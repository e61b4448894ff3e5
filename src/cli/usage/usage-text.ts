import { type NanoUsd, nanoUsd } from '../../policy/nano-usd.ts'
import type { UsageRecord, UsageReport, WasteRecord } from '../../wire/admin/usage-report.ts'
import { usdText } from '../../wire/money.ts'
import { type Column, tableText } from '../table.ts'
import { csvRow } from './csv.ts'

/** A report as people read it: a line for each group, dearest first or day by day, and the sum of all. */
export function usageTable({ by, data }: UsageReport): string {
  const labels = by === 'account'
  // The label first: it is what people know an account by.
  const names: readonly Column[] = labels
    ? [
        { title: 'ACCOUNT', least: 20 },
        { title: 'ID', gives: 1 },
      ]
    : [{ title: by.toUpperCase(), least: 10 }]
  return totalled(
    names,
    'REQUESTS',
    data.map(record => ({
      ...record,
      names: labels ? [record.label ?? '', record.group] : [record.group],
      count: record.requests,
    })),
  )
}

/** What was wasted as people read it: a line for each pool, and the sum of all. */
export const wasteTable = ({ waste }: UsageReport): string =>
  totalled(
    [{ title: 'POOL', least: 10 }],
    'FAILED ATTEMPTS',
    waste.map(record => ({ ...record, names: [record.pool], count: record.attempts })),
  )

/** A report as CSV, without a row for the sum: spreadsheets add up by themselves. */
export function usageCsv({ by, data }: UsageReport): string {
  const names = by === 'account' ? ['account', 'label'] : [by]
  const numbers = ['requests', 'input_tokens', 'output_tokens', 'cost_nano_usd', 'usd'] as const
  const cells = (record: UsageRecord) => [
    record.group,
    ...(by === 'account' ? [record.label ?? null] : []),
    ...numbers.map(field => record[field]),
  ]
  return [[...names, ...numbers], ...data.map(cells)].map(csvRow).join('')
}

/** What was wasted as CSV, likewise. */
export const wasteCsv = ({ waste }: UsageReport): string =>
  [WASTE_FIELDS, ...waste.map(record => WASTE_FIELDS.map(field => record[field]))].map(csvRow).join('')

const WASTE_FIELDS = [
  'pool',
  'attempts',
  'input_tokens',
  'output_tokens',
  'cost_nano_usd',
  'usd',
] as const satisfies readonly (keyof WasteRecord)[]

interface Line {
  readonly names: readonly string[]
  readonly count: number
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cost_nano_usd: NanoUsd
  readonly usd: string
}

/** A table of lines and their sum, under the columns of their names and the title of what was counted. */
function totalled(names: readonly Column[], counted: string, lines: readonly Line[]): string {
  const sum = (field: 'count' | 'input_tokens' | 'output_tokens' | 'cost_nano_usd') =>
    lines.reduce((total, line) => total + line[field], 0)
  const rows = lines.map(line => [
    ...line.names,
    ...[line.count, line.input_tokens, line.output_tokens].map(String),
    line.usd,
  ])
  const numbers = [counted, 'INPUT', 'OUTPUT', 'USD'].map((title): Column => ({ title, number: true }))
  const columns = [...names, ...numbers]
  const total = [
    'TOTAL',
    ...Array.from({ length: names.length - 1 }, () => ''),
    ...[sum('count'), sum('input_tokens'), sum('output_tokens')].map(String),
    usdText(nanoUsd(sum('cost_nano_usd'))),
  ]
  return `${tableText(columns, alignPoints([...rows, total], columns.length - 1))}\n`
}

/** Pads the decimals of a column, so that its points stand below each other. */
function alignPoints(rows: readonly (readonly string[])[], column: number): readonly (readonly string[])[] {
  const decimals = (text = '') => (text.includes('.') ? text.length - text.indexOf('.') : 0)
  const most = Math.max(0, ...rows.map(row => decimals(row[column])))
  return rows.map(row => row.map((cell, index) => (index === column ? cell + ' '.repeat(most - decimals(cell)) : cell)))
}
