import type { LeavingRow } from '../../gateway/store/archive-store.ts'
import { ledgerRecord } from '../../wire/admin/usage-report.ts'

/** A row as a line of NDJSON: as `svcctl usage export` writes it, with its place among the rows of its request. */
export function archivedLine({ place, row }: LeavingRow): string {
  const { label: _label, ...record } = ledgerRecord(row)
  return `${JSON.stringify({ ...record, place })}\n`
}

/** What tells a row from all others; in the order of rows. */
export const nameOf = (requestId: string, place: number): string => `${requestId} ${String(place).padStart(6, '0')}`
