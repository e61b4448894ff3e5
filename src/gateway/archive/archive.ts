import type { LedgerRow } from '../../records/ledger-row.ts'
import type { LeavingRow } from '../store/archive-store.ts'
import type { LedgerQuery, NewestQuery, PastQuery, PastRequests } from '../store/ledger-store.ts'
import { StoreUnavailable } from '../store/store.ts'

/**
 * Where ledger rows move from the store.
 *
 * @example
 * const rows = new Map<string, LeavingRow>()
 * const archive: Archive = {
 *   shown: 'memory',
 *   write: async leaving => {
 *     for (const row of leaving) rows.set(JSON.stringify(row), row)
 *   },
 *   check: async () => ({ about: 'a map in memory' }),
 *   close: async () => rows.clear(),
 * }
 */
export interface Archive {
  /** The archive's name for operators, without user and password. */
  readonly shown: string
  /** Absent where rows are read by other programs alone. */
  readonly reader?: ArchiveReader
  /**
   * Takes rows, in the order of their ids. Resolves once they are as durable as they will be; rejects where it is unknown, and
   * then the same ones come again.
   */
  write(rows: readonly LeavingRow[]): Promise<void>
  /** Looks whether rows could be written, and writes none. Rejects with the reason why not. */
  check(): Promise<ArchiveState>
  close(): Promise<void>
}

/** An archive's description of itself. */
export interface ArchiveState {
  /** `PostgreSQL 15.8, TLS`. */
  readonly about: string
  /** The gateway's first step there: `creates the table svc_ledger`. */
  readonly plan?: string
}

/** Reads rows back. Rejects with ArchiveUnavailable while the archive does not answer. */
export interface ArchiveReader {
  /** Rows in the order of request ids, those of a request together, with ids in a range. */
  readRows(query: LedgerQuery, range: IdRange): AsyncIterable<LedgerRow>
  /**
   * Reads so many requests of an account and one more, without failed attempts: newest first, late rows before those they add to. Absent
   * where that would cost too much for what clients may ask again and again: they get what the store has.
   */
  readNewest?(query: NewestQuery, range: IdRange): Promise<readonly LedgerRow[]>
  /** Requests newest first, as far as a bounded look finds them. */
  readPast(query: PastQuery, range: IdRange): Promise<PastRequests>
  /** The rows of one request, in their order. */
  readRequest(requestId: string): Promise<readonly LedgerRow[]>
}

/** Ids from the first text on, and up to the second, which is among them. */
export interface IdRange {
  readonly from?: string
  readonly after?: string
  readonly to?: string
}

/** The archive does not answer, or takes nothing. Who asks for what it has is answered as without the store. */
export class ArchiveUnavailable extends StoreUnavailable {}
