import type { LeavingRow } from '../../../gateway/store/archive-store.ts'
import type { LedgerRow } from '../../../gateway/store/ledger-store.ts'
import { nanoUsd } from '../../../policy/nano-usd.ts'

/** Writes rows that come as one JSON text, and leaves those alone that are there. */
export const insertSql = (rows: string): string =>
  `INSERT INTO ${rows} (${NAMES}) SELECT ${NAMES} FROM json_to_recordset($1::json) AS r(${COLUMNS.map(
    ([name, type]) => `${name} ${type}`,
  ).join(', ')}) ON CONFLICT DO NOTHING`

/** Columns and their types, as `insertSql` reads them. */
const COLUMNS = [
  ['request_id', 'text'],
  ['place', 'integer'],
  ['kind', 'text'],
  ['account', 'text'],
  ['plan', 'text'],
  ['asked', 'text'],
  ['model', 'text'],
  ['pool', 'text'],
  ['input_tokens', 'bigint'],
  ['output_tokens', 'bigint'],
  ['cached_tokens', 'bigint'],
  ['cache_write_tokens', 'bigint'],
  ['cost_nano_usd', 'bigint'],
  ['estimated', 'boolean'],
  ['admitted_at', 'timestamptz'],
  ['settled_at', 'timestamptz'],
  ['revision', 'text'],
  ['route', 'text'],
  ['key', 'text'],
  ['cause', 'text'],
  ['tools', 'json'],
  ['tool_costs', 'json'],
] as const

type Column = (typeof COLUMNS)[number][0]

const NAMES = COLUMNS.map(([name]) => name).join(', ')

/** Columns as `rowOfRecord` reads them: moments as milliseconds. */
export const READ = COLUMNS.map(([name, type]) =>
  type === 'timestamptz' ? `(extract(epoch from ${name}) * 1000)::bigint AS ${name}` : name,
).join(', ')

/** A row as the driver reads it: integers of 64 bits are texts. */
export type TableRecord = Readonly<Record<Column, unknown>>

export const jsonOf = (rows: readonly LeavingRow[]): string => JSON.stringify(rows.map(recordOf))

function recordOf({ place, row }: LeavingRow): Record<Column, unknown> {
  return {
    request_id: row.requestId,
    place,
    kind: row.kind,
    account: textOf(row.account),
    plan: textOf(row.plan),
    asked: textOf(row.asked),
    model: textOf(row.model),
    pool: textOf(row.pool),
    input_tokens: row.inputTokens,
    output_tokens: row.outputTokens,
    cached_tokens: row.cachedTokens ?? null,
    cache_write_tokens: row.cacheWriteTokens ?? null,
    cost_nano_usd: row.cost,
    estimated: row.estimated,
    admitted_at: new Date(row.admittedAt).toISOString(),
    settled_at: new Date(row.settledAt).toISOString(),
    revision: textOf(row.revision),
    route: row.rule === undefined ? null : textOf(row.rule),
    key: row.key === undefined ? null : textOf(row.key),
    cause: row.cause === undefined ? null : textOf(row.cause),
    tools: row.tools ?? null,
    tool_costs: row.toolCosts ?? null,
  }
}

/** Clients choose what `asked` has. What no text of PostgreSQL can have would hold up all rows behind it. */
const textOf = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd')

export function rowOfRecord(record: TableRecord): LedgerRow {
  const { cached_tokens, cache_write_tokens, route, key, cause, tools, tool_costs } = record
  return {
    requestId: String(record.request_id),
    account: String(record.account),
    plan: String(record.plan),
    asked: String(record.asked),
    model: String(record.model),
    pool: String(record.pool),
    inputTokens: Number(record.input_tokens),
    outputTokens: Number(record.output_tokens),
    ...(cached_tokens !== null && { cachedTokens: Number(cached_tokens) }),
    ...(cache_write_tokens !== null && { cacheWriteTokens: Number(cache_write_tokens) }),
    cost: nanoUsd(Number(record.cost_nano_usd)),
    estimated: record.estimated === true,
    admittedAt: Number(record.admitted_at),
    revision: String(record.revision),
    ...(route !== null && { rule: String(route) }),
    ...(tools !== null && { tools: tools as NonNullable<LedgerRow['tools']> }),
    ...(tool_costs !== null && { toolCosts: tool_costs as NonNullable<LedgerRow['toolCosts']> }),
    ...(key !== null && { key: String(key) }),
    kind: record.kind as LedgerRow['kind'],
    settledAt: Number(record.settled_at),
    ...(cause !== null && { cause: String(cause) }),
  }
}
