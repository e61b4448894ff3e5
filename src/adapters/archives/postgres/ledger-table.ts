import { type LedgerRow, ROW_FIELDS } from '../../../records/ledger-row.ts'
import { typeOf } from './table-rows.ts'

/** The SQL of the table that rows go to, one statement after the other, for the owner of a database to run. */
export const schemaSql = (brand: string): string =>
  [...Array.from({ length: SCHEMA }, (_, from) => migration(tableOf(brand), from)).flat(), versionSql(tableOf(brand))]
    .map(statement => `${statement};\n`)
    .join('\n')

/** The version of the table that brought a field which its first version did not have: a new field does not compile without. */
const ADDED_IN: AddedIn<Exclude<keyof LedgerRow, FirstField>> = {
  charges: 2,
  labels: 3,
  session: 3,
  saved: 3,
  day: 3,
  mirror: 3,
}

type AddedIn<Field extends string> = Readonly<Record<Field, number>>

type FirstField =
  | 'requestId'
  | 'account'
  | 'plan'
  | 'asked'
  | 'model'
  | 'pool'
  | 'inputTokens'
  | 'outputTokens'
  | 'cachedTokens'
  | 'cacheWriteTokens'
  | 'cost'
  | 'estimated'
  | 'admittedAt'
  | 'revision'
  | 'rule'
  | 'tools'
  | 'toolCosts'
  | 'key'
  | 'kind'
  | 'settledAt'
  | 'cause'

/** The version of the table that this gateway writes. */
export const SCHEMA: number = Math.max(1, ...Object.values<number>(ADDED_IN))

/** The names of the tables of a brand, quoted. */
export interface LedgerTable {
  readonly rows: string
  /** Has one row: the version. */
  readonly schema: string
  readonly name: string
}

export const tableOf = (brand: string): LedgerTable => {
  const name = `${brand}_ledger`
  return { name, rows: `"${name}"`, schema: `"${name}_schema"` }
}

/** The statements that take the table from a version to the next one; from 0 where there is none. */
export function migration(table: LedgerTable, from: number, addedIn: AddedIn<string> = ADDED_IN): readonly string[] {
  if (from === 0) return firstTable(table)
  const added = ROW_FIELDS.filter(({ member }) => addedIn[member] === from + 1)
  if (added.length === 0) throw new Error(`there is no migration from schema ${from}`)
  return added.map(({ column }) => `ALTER TABLE ${table.rows} ADD COLUMN IF NOT EXISTS ${column} ${typeOf(column)}`)
}

function firstTable({ rows, schema, name }: LedgerTable): readonly string[] {
  return [
    // In the order of their ids, which is that of the admissions: by bytes, whatever the language of the database.
    `CREATE TABLE IF NOT EXISTS ${rows} (
  request_id text COLLATE "C" NOT NULL,
  place integer NOT NULL,
  kind text NOT NULL,
  account text NOT NULL,
  plan text NOT NULL,
  asked text NOT NULL,
  model text NOT NULL,
  pool text NOT NULL,
  input_tokens bigint NOT NULL,
  output_tokens bigint NOT NULL,
  cached_tokens bigint,
  cache_write_tokens bigint,
  cost_nano_usd bigint NOT NULL,
  estimated boolean NOT NULL,
  admitted_at timestamptz NOT NULL,
  settled_at timestamptz NOT NULL,
  revision text NOT NULL,
  route text,
  key text,
  cause text,
  tools json,
  tool_costs json,
  PRIMARY KEY (request_id, place)
)`,
    `CREATE INDEX IF NOT EXISTS "${name}_account" ON ${rows} (account, request_id)`,
    `CREATE INDEX IF NOT EXISTS "${name}_key" ON ${rows} (key, request_id) WHERE key IS NOT NULL`,
    `CREATE INDEX IF NOT EXISTS "${name}_admitted_at" ON ${rows} USING brin (admitted_at)`,
    `CREATE TABLE IF NOT EXISTS ${schema} (version integer NOT NULL)`,
  ]
}

/** Writes down that the table has the newest version. */
export const versionSql = ({ schema }: LedgerTable): string =>
  `WITH gone AS (DELETE FROM ${schema}) INSERT INTO ${schema} VALUES (${SCHEMA})`
