import type { BillingMonth } from '../../policy/billing/billing-month.ts'
import { nanoUsd } from '../../policy/nano-usd.ts'
import { MOST_AHEAD_MS } from '../../policy/zone.ts'
import { dayOfRow, type LedgerRow } from '../../records/ledger-row.ts'
import type { Sums } from '../../records/sums.ts'
import { NO_VALUE } from '../../wire/admin/usage-report.ts'
import type { LedgerStore } from '../store/ledger-store.ts'
import { RowSums } from '../store/row-sums.ts'
import { addLater, addTotals, NO_SUMS } from '../store/total-sums.ts'
import { idAt } from './keys.ts'

interface LabelledMonth {
  readonly account: string
  readonly month: Pick<BillingMonth, 'since' | 'until' | 'firstDay' | 'endDay'>
  readonly labels: readonly string[]
  /** The sums of the month, of which those of labels are parts. */
  readonly total: Sums
  /** The most requests to read. */
  readonly most: number
}

/** The sums of a label's values, dearest first. They add up to the total. */
export interface LabelSums {
  readonly label: string
  readonly values: readonly (Sums & { readonly name: string })[]
}

/**
 * Splits the usage of an account in a month by the values of labels, by its rows. Requests without a value, and those whose rows are
 * gone, are under `—`. Undefined where there are more requests than may be read.
 */
export async function labelSums(
  ledger: Pick<LedgerStore, 'readPast'>,
  { account, month, labels, total, most }: LabelledMonth,
): Promise<readonly LabelSums[] | undefined> {
  const sums = labels.map(label => ({ label, values: new Map<string, Sums>() }))
  // Rows that were billed by another zone are a few hours around.
  const [since, until] = [month.since - MOST_AHEAD_MS, month.until + MOST_AHEAD_MS]
  let before: string | undefined = idAt(until + 1)
  for (let read = 0; before !== undefined; read += REQUESTS_A_LOOK) {
    if (read >= most) return undefined
    const { requests, next } = await ledger.readPast({ account, since, until, before, limit: REQUESTS_A_LOOK })
    for (const rows of requests) addRows(sums, rows, month)
    before = next
  }
  return sums.map(({ label, values }) => ({ label, values: withRest(values, total) }))
}

const REQUESTS_A_LOOK = 20_000

/** Usage that still grows is read again and again: it is split as long as it has no more requests. */
export const MOST_SPLIT = 200_000

interface Summing {
  readonly label: string
  readonly values: Map<string, Sums>
}

/** Adds the rows of one request. */
function addRows(sums: readonly Summing[], rows: readonly LedgerRow[], { firstDay, endDay }: LabelledMonth['month']) {
  const counted = new RowSums()
  for (const row of rows) {
    if (row.kind === 'waste') continue
    const { requests, later } = counted.of(row)
    const day = dayOfRow(row)
    if (!row.labels || day < firstDay || day >= endDay) continue
    const { inputTokens, outputTokens, cost } = row
    const added = { ...later, requests, inputTokens, outputTokens, cost }
    for (const { label, values } of sums) {
      const value = row.labels[label]
      if (value !== undefined) values.set(value, addTotals(values.get(value) ?? NO_SUMS, added))
    }
  }
}

/** The sums of all values, dearest first, and what no value has behind them. */
function withRest(values: ReadonlyMap<string, Sums>, total: Sums): LabelSums['values'] {
  const named = [...values].map(([name, sums]) => ({ name, ...sums }))
  const rest = named.reduce(without, total)
  named.sort((a, b) => b.cost - a.cost || (a.name < b.name ? -1 : 1))
  return rest.requests === 0 && rest.cost === 0 ? named : [...named, { name: NO_VALUE, ...rest }]
}

const without = (a: Sums, b: Sums): Sums => ({
  requests: a.requests - b.requests,
  inputTokens: a.inputTokens - b.inputTokens,
  outputTokens: a.outputTokens - b.outputTokens,
  cost: nanoUsd(a.cost - b.cost),
  ...addLater(a, b, -1),
})
