import type { LeavingRow } from '../../gateway/store/archive-store.ts'
import { LEDGER_RECORD, ledgerRecord, rowOfLedgerRecord } from '../../wire/admin/ledger-record.ts'
import { readAs } from '../../wire/schema/read.ts'

/** A row as a line of NDJSON: as `svcctl usage export` writes it, with its place among the rows of its request. */
export function archivedLine({ place, row }: LeavingRow): string {
  // The kind is that of the store, so that gateways which know no copies bill none.
  const record = { ...ledgerRecord(row), kind: row.kind, label: undefined }
  return `${JSON.stringify({ ...record, place })}\n`
}

/** The name that tells a row from all others; names sort as rows do. */
export const nameOf = (requestId: string, place: number): string => `${requestId} ${String(place).padStart(6, '0')}`

/** A row, and its place, as `archivedLine` wrote it. Throws where it is none. */
export function readArchivedLine(line: string): Omit<LeavingRow, 'key'> {
  const written = JSON.parse(line) as { readonly place: number }
  return { place: written.place, row: rowOfLedgerRecord(readAs(LEDGER_RECORD, written)) }
}

/** The request id of a line, without reading all of it. */
export const idInLine = (line: string): string => line.slice(ID_AT, line.indexOf('"', ID_AT))

const ID_AT = '{"request_id":"'.length
