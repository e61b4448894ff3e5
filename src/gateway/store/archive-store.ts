import type { EpochMs, Millis } from '../../policy/config.ts'
import type { LedgerRow } from '../../records/ledger-row.ts'

/**
 * Ledger rows on their way from the store into an archive. A facet of the Store, which documents clock and outages. A row moves in
 * two steps, a copy to the archive and a removal; a crash in between leaves it in both.
 */
export interface ArchiveStore {
  /** Lets one process at a time archive, for so long. False while another one does. */
  lease(holder: string, forMs: Millis): Promise<boolean>
  /** Gives the lease back, so that another process need not wait for its end. */
  release(holder: string): Promise<void>
  /**
   * Rows of requests admitted longer ago than `age`, in the order of their ids, about `most` of them. The rows of a request come
   * together. Running requests have none.
   */
  readLeaving(age: Millis, most: number): Promise<readonly LeavingRow[]>
  /** Removes rows that an archive has. Those that are gone already are passed over. Resolves to how many there were. Durable. */
  remove(rows: readonly LeavingRow[]): Promise<number>
  /** How many rows of requests admitted longer ago than `age` are here. */
  readWaiting(age: Millis): Promise<Waiting>
}

export interface LeavingRow {
  /** Where the store has it. */
  readonly key: string
  /** Among the rows of its request: 1 for what it was charged, 2 for what came late, and from 3 on failed attempts. */
  readonly place: number
  readonly row: LedgerRow
}

export interface Waiting {
  readonly rows: number
  /** When the oldest of their requests was admitted. */
  readonly oldest?: EpochMs
}

/** Where a row stands among those of its request; attempts count from 1. */
export const placeOf = (kind: LedgerRow['kind'], attempt = 0): number =>
  kind === 'waste' ? PAID + attempt : kind === 'late' ? PAID : 1

/** The last place of rows that clients pay. */
export const PAID = 2

/** Ids are made a little before requests are admitted: those from before this are of requests that are as old. */
export const LONGEST_ADMISSION_MS: Millis = 60_000
