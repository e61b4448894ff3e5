import type { LeavingRow } from '../../gateway/store/archive-store.ts'
import type { LedgerRow } from '../../gateway/store/ledger-store.ts'
import { ledgerRecord, readLedgerRecord } from '../../wire/admin/usage-report.ts'

/** A row as a line of NDJSON: as `svcctl usage export` writes it, with its place among the rows of its request. */
export function archivedLine({ place, row }: LeavingRow): string {
  const { label: _label, ...record } = ledgerRecord(row)
  return `${JSON.stringify({ ...record, place })}\n`
}

/** What tells a row from all others; in the order of rows. */
export const nameOf = (requestId: string, place: number): string => `${requestId} ${String(place).padStart(6, '0')}`

/** A row, and its place, as `archivedLine` wrote it. Throws where it is none. */
export function readArchivedLine(line: string): Omit<LeavingRow, 'key'> {
  const written = JSON.parse(line) as { readonly place: number }
  const record = readLedgerRecord(written)
  const { cached_tokens, cache_write_tokens, route, tools, tool_costs_nano_usd, key, cause } = record
  const row: LedgerRow = {
    requestId: record.request_id,
    account: record.account,
    plan: record.plan,
    asked: record.asked,
    model: record.model,
    pool: record.pool,
    inputTokens: record.input_tokens,
    outputTokens: record.output_tokens,
    ...(cached_tokens !== 0 && { cachedTokens: cached_tokens }),
    ...(cache_write_tokens !== 0 && { cacheWriteTokens: cache_write_tokens }),
    cost: record.cost_nano_usd,
    estimated: record.estimated,
    admittedAt: Date.parse(record.admitted_at),
    revision: record.revision,
    ...(route !== null && { rule: route }),
    ...(tools && { tools }),
    ...(tool_costs_nano_usd && { toolCosts: tool_costs_nano_usd as NonNullable<LedgerRow['toolCosts']> }),
    ...(key !== null && { key }),
    kind: record.kind as LedgerRow['kind'],
    settledAt: Date.parse(record.settled_at),
    ...(cause !== null && { cause }),
  }
  return { place: written.place, row }
}

/** The request id of a line, without reading all of it. */
export const idInLine = (line: string): string => line.slice(ID_AT, line.indexOf('"', ID_AT))

const ID_AT = '{"request_id":"'.length
