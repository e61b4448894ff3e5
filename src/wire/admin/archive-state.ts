import type { JsonObject } from '../json-safety.ts'
import { count, flag, number, object, orNull, text } from './record-fields.ts'

/** How far rows of the ledger came on their way into the archive, as the gateway that is asked knows it. */
export interface ArchiveRecord {
  /** Where they go, without user and password; null where the files name no archive, and then all others are null or 0. */
  readonly to: string | null
  /** Whether rows are read back from there; else commands and endpoints have those of the store alone. */
  readonly read_back: boolean
  /** Whether this gateway takes them there; else another one on the same store does. */
  readonly here: boolean
  /** Rows that this process took there. */
  readonly archived_rows: number
  /** Batches that were not taken. */
  readonly failures: number
  readonly last_error: string | null
  /** Rows that are old enough to be there and are not. */
  readonly waiting_rows: number
  /** When the oldest of their requests was admitted. */
  readonly oldest_at: string | null
  /** How much older than it has to be it is. */
  readonly lag_seconds: number
}

/** Reads what a gateway sent. Throws TypeError when it is of another form. */
export function readArchiveRecord(value: unknown): ArchiveRecord {
  const record: JsonObject = object(value, 'state of an archive')
  return {
    to: orNull(text, record, 'to'),
    // An older gateway does not say it.
    read_back: record.read_back !== false,
    here: flag(record, 'here'),
    archived_rows: count(record, 'archived_rows'),
    failures: count(record, 'failures'),
    last_error: orNull(text, record, 'last_error'),
    waiting_rows: count(record, 'waiting_rows'),
    oldest_at: orNull(text, record, 'oldest_at'),
    lag_seconds: number(record, 'lag_seconds'),
  }
}
