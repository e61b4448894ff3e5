import type { LeavingRow } from '../../../gateway/store/archive-store.ts'
import { inOrder, type ListedField, recordFrom } from '../../../records/fields.ts'
import { type LEDGER_ROW, type LedgerRow, ROW_FIELDS } from '../../../records/ledger-row.ts'
import type { AnyShape } from '../../../records/shape.ts'

/** Writes rows that come as one JSON text, and leaves those alone that are there. */
export const insertSql = (rows: string): string =>
  `INSERT INTO ${rows} (${NAMES}) SELECT ${NAMES} FROM json_to_recordset($1::json) AS r(${COLUMNS.map(
    name => `${name} ${typeOf(name)}`,
  ).join(', ')}) ON CONFLICT DO NOTHING`

const FIELDS: ReadonlyMap<string, ListedField<keyof LedgerRow>> = new Map(ROW_FIELDS.map(each => [each.column, each]))

/** The columns of the first version of the table, in the order that statements have always had. */
const FIRST = [
  'request_id',
  'place',
  'kind',
  'account',
  'plan',
  'asked',
  'model',
  'pool',
  'input_tokens',
  'output_tokens',
  'cached_tokens',
  'cache_write_tokens',
  'cost_nano_usd',
  'estimated',
  'admitted_at',
  'settled_at',
  'revision',
  'route',
  'key',
  'cause',
  'tools',
  'tool_costs',
]

/** Fields declared later follow them. */
const COLUMNS = inOrder(FIRST, [...FIELDS.keys()])

const NAMES = COLUMNS.join(', ')

const TYPES: Readonly<Partial<Record<AnyShape['kind'], string>>> = {
  text: 'text',
  number: 'bigint',
  moment: 'timestamptz',
  flag: 'boolean',
  counts: 'json',
  texts: 'json',
}

/** The type of a column of the table. */
export function typeOf(column: string): string {
  const field = FIELDS.get(column)
  if (!field) return 'integer'
  const type = TYPES[field.kind]
  if (!type) throw new Error(`no column of a table has a ${field.kind}`)
  return type
}

/** Columns of a table called `ledger` as `rowOfRecord` reads them: moments as milliseconds. */
export const READ = COLUMNS.map(name => {
  // The table has later columns once a gateway of this version has written to it.
  if (!FIRST.includes(name)) return `to_jsonb(ledger) -> '${name}' AS ${name}`
  return typeOf(name) === 'timestamptz' ? `(extract(epoch from ${name}) * 1000)::bigint AS ${name}` : name
}).join(', ')

/** A row as the driver reads it: integers of 64 bits are texts. */
export type TableRecord = Readonly<Record<string, unknown>>

export const jsonOf = (rows: readonly LeavingRow[]): string => JSON.stringify(rows.map(recordOf))

/** A record is copied from this one: to add its columns one by one takes twice as long. */
const BLANK: Readonly<Record<string, unknown>> = Object.fromEntries(COLUMNS.map(column => [column, null]))

function recordOf({ place, row }: LeavingRow): Record<string, unknown> {
  const record: Record<string, unknown> = { ...BLANK }
  for (const column of COLUMNS) {
    const field = FIELDS.get(column)
    record[column] = field ? written(field, row[field.member]) : place
  }
  return record
}

function written({ member, kind }: ListedField, value: unknown): unknown {
  if (value === undefined) return null
  if (kind === 'moment') return new Date(value as number).toISOString()
  // Ours: an id that was altered would be another row.
  return kind === 'text' && !OURS.has(member) ? storable(String(value)) : value
}

const OURS: ReadonlySet<string> = new Set<keyof LedgerRow>(['requestId', 'kind'])

/** Clients choose `asked`. A character that PostgreSQL cannot store would block all later rows. */
const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd')

export const rowOfRecord = (record: TableRecord): LedgerRow =>
  recordFrom<typeof LEDGER_ROW>(ROW_FIELDS, ({ column, kind }) => {
    const value = record[column]
    if (value === null) return undefined
    return kind === 'number' || kind === 'moment' ? Number(value) : value
  })
