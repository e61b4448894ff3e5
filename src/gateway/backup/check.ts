import type { RecordKind } from '../store/record.ts'
import { BackupDamaged, readBackup, type Signed, type Trust } from './read.ts'
import { Sums, type WrongSums } from './sums.ts'
import type { BackupHeader } from './write.ts'

/** A backup whose bytes are those that were written. */
export interface CheckedBackup {
  readonly header: BackupHeader
  readonly bytes: number
  readonly signed: Signed
  readonly counts: Readonly<Partial<Record<RecordKind, number>>>
  /** Sums that the store kept and that its rows do not come to, by account. */
  readonly wrong: readonly WrongSums[]
}

/**
 * Reads a whole backup: every byte, every row, every sum. Where days differ it is read once more for the accounts that do.
 * Rejects with BackupUntrusted, BackupDamaged, or as the file system does.
 */
export async function checkBackup(file: string, trust: Trust): Promise<CheckedBackup> {
  const { wrong: days, ...checked } = await compare(file, trust)
  return days.length === 0 ? { ...checked, wrong: [] } : compare(file, trust, days)
}

/** Compares the sums of all days, or of some days by account. */
async function compare(file: string, trust: Trust, closely?: readonly WrongSums[]): Promise<CheckedBackup> {
  const { header, bytes, signed, records } = await readBackup(file, trust)
  const counts: Partial<Record<RecordKind, number>> = {}
  const sums = new Sums(header.began, header.rows_since, closely)
  try {
    for await (const record of records) {
      counts[record[0]] = (counts[record[0]] ?? 0) + 1
      sums.add(record)
    }
  } catch (error) {
    if (error instanceof BackupDamaged || (error instanceof Error && 'syscall' in error)) throw error
    throw new BackupDamaged('it is damaged: a record cannot be read')
  }
  return { header, bytes, signed, counts, wrong: sums.wrong() }
}
