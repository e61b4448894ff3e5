import type { Waste } from '../../gateway/store.ts'
import type { Books } from './books.ts'
import { wasteKey } from './ledger.ts'

/** Writes a row for each attempt that has none. Resolves when all of them are on disk. */
export async function recordWaste({ records, writer, now }: Books, rows: readonly Waste[]): Promise<void> {
  const settledAt = now()
  for (const { attempt, bill, cause } of rows) {
    const key = wasteKey(bill.requestId, attempt)
    if (writer.rowOf(key) || records.ledger.doesExist(key)) continue
    writer.add({ key, row: { ...bill, kind: 'waste', settledAt, cause }, requests: 1 })
  }
  if (rows.length > 0) await writer.commit()
}
