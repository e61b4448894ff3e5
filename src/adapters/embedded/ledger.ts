import type { Bill, LedgerQuery, LedgerRow } from '../../gateway/store.ts'
import type { EpochMs } from '../../policy/config.ts'
import type { Building } from '../../policy/decision.ts'
import type { Holds } from './holds.ts'
import { unpackRow } from './packed.ts'
import { pagesOf } from './pages.ts'
import { type Records, remove } from './records.ts'

/** A row as it lies on disk. */
export interface StoredRow extends LedgerRow {
  /** Of an orphan: what it weighed in the minute, for a settlement that comes after all. */
  readonly tokens?: number
  /** Of an orphan: whether it took its part of what all guests share. */
  readonly shared?: true
}

/** A row to be written. */
export interface Entry {
  readonly key: string
  readonly row: StoredRow
  /** 0 when the request has a row already. */
  readonly requests: 0 | 1
}

/** The first row of a request has its id as key; that of a late settlement follows it at once, and then its waste. */
export const lateKey = (requestId: string): string => `${requestId}+late`
export const wasteKey = (requestId: string, attempt: number): string =>
  `${requestId}+waste${String(attempt).padStart(4, '0')}`

export function entryOf(bill: Bill, kind: 'settle' | 'orphan' | 'late', settledAt: EpochMs): Entry {
  const row: Building<StoredRow> = {
    requestId: bill.requestId,
    account: bill.account,
    plan: bill.plan,
    asked: bill.asked,
    model: bill.model,
    pool: bill.pool,
    inputTokens: bill.inputTokens,
    outputTokens: bill.outputTokens,
    cost: bill.cost,
    estimated: bill.estimated,
    admittedAt: bill.admittedAt,
    revision: bill.revision,
    kind,
    settledAt,
  }
  if (bill.rule !== undefined) row.rule = bill.rule
  if (bill.tools) row.tools = bill.tools
  return { key: kind === 'late' ? lateKey(bill.requestId) : bill.requestId, row, requests: 1 }
}

/** Rows in the order of their request ids. */
export async function* readLedger(
  { ledger }: Records,
  { account, since = 0 }: LedgerQuery = {},
): AsyncGenerator<LedgerRow, void, undefined> {
  for await (const page of pagesOf(ledger)) {
    for (const { value } of page) {
      const { tokens: _tokens, shared: _shared, ...row } = unpackRow(value)
      if (row.admittedAt >= since && (account === undefined || row.account === account)) yield row
    }
  }
}

/** Removes rows of requests admitted before a moment, but for those under way. How many there were. */
export async function trimLedger({ ledger, commit }: Records, holds: Holds, before: EpochMs): Promise<number> {
  let removed = 0
  for await (const page of pagesOf(ledger)) {
    const old = page.filter(({ value }) => {
      const { admittedAt, requestId } = unpackRow(value)
      return admittedAt < before && !holds.get(requestId)
    })
    if (old.length > 0) await commit(old.map(({ key }) => remove(ledger, key)))
    removed += old.length
  }
  return removed
}
