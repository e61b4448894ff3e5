import type { LedgerRow } from '../../records/ledger-row.ts'
import { addLater, type LaterSums } from './total-sums.ts'

/** The tools and charges of a row, which go into the same sums. */
export type Called = Pick<LedgerRow, 'tools' | 'toolCosts' | 'charges'>

/** The additions of a row to the sums of its day, beside its tokens and its cost. */
export interface RowSum {
  readonly requests: 0 | 1
  readonly later: LaterSums
  /** The tools and charges to add. */
  readonly called: Called
  /** The row whose tools and charges to take off, since this one repeats them. */
  readonly repeated?: LedgerRow
}

/** Counts rows as stores do. The rows of a request must follow one another: a late row is the difference to one before. */
export class RowSums {
  #orphan: LedgerRow | undefined

  /** The additions of a row that a client pays for. */
  of(row: LedgerRow): RowSum {
    const { kind, requestId } = row
    const before = kind === 'late' && this.#orphan?.requestId === requestId ? this.#orphan : undefined
    if (kind !== 'late') this.#orphan = kind === 'orphan' ? row : undefined
    if (!before) return { requests: 1, later: row, called: row }
    // A late row repeats cached tokens and tool calls; a refund takes them back.
    const made = row.inputTokens + before.inputTokens === 0 ? {} : row
    return { requests: 0, later: addLater(made, before, -1), called: made, repeated: before }
  }
}
