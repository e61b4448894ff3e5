import { usdText } from '../wire/money.ts'
import type { UsageRecord, UsageReport } from '../wire/report.ts'
import { csvRow } from './csv.ts'
import { table } from './talk.ts'

/** A report as people read it: a line for each group, dearest first or day by day, and the sum of all. */
export function usageTable({ by, data }: UsageReport): string {
  const labels = by === 'account'
  const numbers = ['REQUESTS', 'INPUT', 'OUTPUT', 'USD']
  const names = labels ? ['ACCOUNT', 'LABEL'] : [by.toUpperCase()]
  const sum = (field: 'requests' | 'input_tokens' | 'output_tokens' | 'cost_nano_usd') =>
    data.reduce((total, record) => total + record[field], 0)
  const rows = data.map(record => [
    record.group,
    ...(labels ? [record.label ?? ''] : []),
    ...[record.requests, record.input_tokens, record.output_tokens].map(String),
    record.usd,
  ])
  const total = [
    'TOTAL',
    ...(labels ? [''] : []),
    ...[sum('requests'), sum('input_tokens'), sum('output_tokens')].map(String),
    usdText(sum('cost_nano_usd')),
  ]
  const cells = alignPoints([...rows, total], names.length + numbers.length - 1)
  return `${table([[...names, ...numbers], ...cells], names.length)}\n`
}

/** A report as CSV; the sum is left to whoever reads it. */
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

/** Pads the decimals of a column, so that its points stand below each other. */
function alignPoints(rows: readonly (readonly string[])[], column: number): readonly (readonly string[])[] {
  const decimals = (text = '') => (text.includes('.') ? text.length - text.indexOf('.') : 0)
  const most = Math.max(0, ...rows.map(row => decimals(row[column])))
  return rows.map(row => row.map((cell, index) => (index === column ? cell + ' '.repeat(most - decimals(cell)) : cell)))
}
