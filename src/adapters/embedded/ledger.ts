import { setImmediate } from 'node:timers/promises'
import type { LedgerRow } from '../../gateway/store.ts'
import type { Records } from './records.ts'

const PAGE = 256

/** Rows in the order of their request ids. Pages, because one long read would keep old pages of the files alive. */
export async function* readLedger({ ledger }: Records, account?: string): AsyncGenerator<LedgerRow, void, undefined> {
  let after: string | undefined
  do {
    const from = after === undefined ? {} : { start: after, exclusiveStart: true }
    const page = Array.from(ledger.getRange({ ...from, limit: PAGE }), ({ value }) => value)
    for (const row of page) if (account === undefined || row.account === account) yield row
    after = page.at(-1)?.requestId
    // Requests get their turn between pages.
    await setImmediate()
  } while (after !== undefined)
}
