import {
  type Field,
  inOrder,
  type ListedField,
  type MaybeName,
  recordFrom,
  type ValueOf,
} from '../../records/fields.ts'
import { type LEDGER_ROW, type LedgerRow, ROW_FIELDS, shownKind } from '../../records/ledger-row.ts'
import { usdText } from '../money.ts'
import {
  type AnyField,
  type AnySchema,
  defaulted,
  flag,
  map,
  moment,
  orNull,
  record,
  type Schema,
  text,
  whole,
} from '../schema/schema.ts'

/**
 * One row of the ledger as JSON: the fields of the declaration by their public names. Times are ISO 8601, and what a row does
 * not have is null, or 0 for cached tokens. `usd` repeats the cost as exact decimal text.
 */
export type LedgerRecord = Declared & {
  readonly usd: string
  /** How operators call the account now; null where it is gone, and from older gateways. */
  readonly label: string | null
}

type Row = typeof LEDGER_ROW

type Declared = { readonly [Member in keyof Row as Row[Member]['name']]: JsonOf<Member> }

type JsonOf<Member extends keyof Row> =
  | JsonValue<Row[Member]>
  | (Member extends MaybeName<Row> ? (Row[Member] extends { readonly isZero: true } ? never : null) : never)

/** Words stay open: a newer gateway may have others. */
type JsonValue<F extends Field> =
  ValueOf<F> extends string ? string : F['shape'] extends { readonly kind: 'moment' } ? string : ValueOf<F>

/** The names of a record, in the order in which they are written. New ones follow behind. */
export const LEDGER_RECORD_NAMES = inOrder<keyof LedgerRecord>(
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
    'tools',
    'cause',
    'cached_tokens',
    'cache_write_tokens',
    'key',
    'tool_costs_nano_usd',
    'label',
  ],
  ROW_FIELDS.map(({ name }) => name as keyof LedgerRecord),
)

const BY_NAME: ReadonlyMap<string, ListedField<keyof LedgerRow>> = new Map(ROW_FIELDS.map(each => [each.name, each]))

/** A record is copied from this one: to add its fields one by one takes twice as long. */
const BLANK: Readonly<Record<string, unknown>> = Object.fromEntries(LEDGER_RECORD_NAMES.map(name => [name, null]))

/** Writes a row, with the label of its account where that is known. */
export function ledgerRecord(row: LedgerRow & { readonly label?: string }): LedgerRecord {
  const record: Record<string, unknown> = { ...BLANK }
  for (const name of LEDGER_RECORD_NAMES) {
    const field = BY_NAME.get(name)
    record[name] = field ? jsonOf(field, row[field.member]) : name === 'usd' ? usdText(row.cost) : (row.label ?? null)
  }
  record.kind = shownKind(row)
  return record as LedgerRecord
}

function jsonOf({ kind, isZero }: ListedField, value: unknown): unknown {
  if (value === undefined) return isZero ? 0 : null
  return kind === 'moment' ? new Date(value as number).toISOString() : value
}

/** The schema of a field in JSON. */
function schemaOf(name: keyof LedgerRecord): AnyField {
  if (name === 'usd') return text('The cost as exact decimal text.')
  const field = BY_NAME.get(name)
  if (!field) return defaulted(orNull(text('The present label of the account; null if the account is gone.')), null)
  const schema = SCHEMAS[field.kind] ?? (text() as AnySchema)
  // Older gateways do not send what was added since.
  if (!field.isOptional) return schema
  return field.isZero ? defaulted<unknown>(schema, 0) : defaulted(orNull<unknown>(schema), null)
}

const SCHEMAS: Partial<Record<ListedField['kind'], AnySchema>> = {
  number: whole(),
  flag: flag(),
  counts: map(whole()),
  texts: map(text()),
  moment: moment(),
}

/** One row of the ledger as JSON. */
export const LEDGER_RECORD: Schema<LedgerRecord> = record(
  Object.fromEntries(LEDGER_RECORD_NAMES.map(name => [name, schemaOf(name)])),
  'LedgerRow',
  'A settled request, or a failed attempt with a cost. Missing values are null, or 0 for cached tokens.',
) as AnySchema

/** The row of a record. */
export const rowOfLedgerRecord = (record: LedgerRecord): LedgerRow =>
  recordFrom<Row>(ROW_FIELDS, ({ member, name, kind, isZero }) => {
    if (member === 'kind' && record.kind === 'mirror') return 'waste'
    const value = record[name as keyof LedgerRecord]
    if (value === null || (isZero && value === 0)) return undefined
    return kind === 'moment' ? Date.parse(String(value)) : value
  })
