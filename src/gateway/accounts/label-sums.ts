import type { BillingMonth } from '../../policy/billing/month.ts'
import { nanoUsd } from '../../policy/nano-usd.ts'
import { MOST_AHEAD_MS } from '../../policy/zone.ts'
import { dayOfRow, type LedgerRow } from '../../records/ledger-row.ts'
import type { Sums } from '../../records/sums.ts'
import { NO_VALUE } from '../../wire/admin/usage-report.ts'
import type { LedgerStore } from '../store/ledger-store.ts'
import { RowSums } from '../store/row-sums.ts'
import { addLater, addTotals, NO_SUMS } from '../store/total-sums.ts'
import { idAt } from './keys.ts'
import { OneAtATime, Places } from './one-at-a-time.ts'

interface LabelledMonth<Usage> {
  readonly account: string
  /** The kind of usage: calls share a split of the same kind. */
  readonly of: 'usage' | 'invoice'
  readonly month: Pick<BillingMonth, 'since' | 'until' | 'firstDay' | 'endDay'>
  readonly labels: readonly string[]
  /** Reads the usage of the month, of whose total the sums of labels are parts. */
  readonly read: () => Promise<Usage>
  /** The most requests to read. */
  readonly most: number
}

type PastLedger = Pick<LedgerStore, 'readPast'>

/** The sums of a label's values, dearest first. They add up to the total. */
export interface LabelSums {
  readonly label: string
  readonly values: readonly (Sums & { readonly name: string })[]
}

/** Usage, and its split as of the same moment. */
interface SplitUsage<Usage> {
  readonly usage: Usage
  /** Undefined where there are more requests than may be read. */
  readonly split: readonly LabelSums[] | undefined
}

/**
 * Splits the usage of an account in a month by the values of labels, by its rows. Requests without a value, and those whose rows are
 * gone, are under `—`. An account has one split at a time, and calls for the one that runs get its sums, with the usage that
 * they are parts of.
 */
export async function labelSums<Usage extends Totalled>(
  ledger: PastLedger,
  asked: LabelledMonth<Usage>,
): Promise<SplitUsage<Usage>> {
  const { account, month, labels, most, of } = asked
  const { since, until, firstDay, endDay } = month
  const name = JSON.stringify([of, since, until, firstDay, endDay, labels, most])
  return (await SPLITS.do(ledger, account, name, () => readSplit(ledger, asked))) as SplitUsage<Usage>
}

interface Totalled {
  readonly total: Sums
}

/** Between two reads of the same total no row came, so that those read in between are its rows. */
async function readSplit<Usage extends Totalled>(
  ledger: PastLedger,
  asked: LabelledMonth<Usage>,
): Promise<SplitUsage<Usage>> {
  let before = await asked.read()
  for (let tries = 1; ; tries++) {
    const sums = await readSums(ledger, asked)
    if (!sums) return { usage: before, split: undefined }
    const usage = await asked.read()
    if (isSame(usage.total, before.total) || tries === TRIES)
      return { usage, split: sums.map(({ label, values }) => ({ label, values: withRest(values, usage.total) })) }
    before = usage
  }
}

/** An account that settles requests without a pause gets its last read, which counts those of that moment as if they had no value. */
const TRIES = 3

const isSame = (a: Sums, b: Sums): boolean => Object.values(without(a, b)).every(difference => difference === 0)

/** Each has thousands of rows in memory, and all share the CPU of requests. */
const AT_ONCE = 4

const SPLITS = new OneAtATime<SplitUsage<Totalled>>(AT_ONCE)

/** The calls of an account, and of all, that may split usage at once: each waits, with the totals that it has read. */
export const SPLITTING = new Places(32, 256)

async function readSums(
  ledger: PastLedger,
  { account, month, labels, most }: LabelledMonth<Totalled>,
): Promise<readonly Summing[] | undefined> {
  const sums = labels.map(label => ({ label, values: new Map<string, Sums>() }))
  // Rows that were billed by another zone are a few hours around.
  const [since, until] = [month.since - MOST_AHEAD_MS, month.until + MOST_AHEAD_MS]
  let before: string | undefined = idAt(until + 1)
  let read = 0
  let sparse = 0
  while (before !== undefined) {
    if (read >= most || (sparse >= MOST_SPARSE && most !== Number.POSITIVE_INFINITY)) return undefined
    const { requests, next } = await ledger.readPast({ account, since, until, before, limit: REQUESTS_A_LOOK })
    for (const rows of requests) addRows(sums, rows, month)
    read += requests.length
    if (requests.length < REQUESTS_A_LOOK) sparse++
    before = next
  }
  return sums
}

/** They are in memory at once. */
const REQUESTS_A_LOOK = 2000
/** Looks that end at their own bound, among very many rows of others, before they found so many. */
const MOST_SPARSE = 50

/** Usage that still grows is read again and again: it is split as long as it has no more requests. */
export const MOST_SPLIT = 200_000

interface Summing {
  readonly label: string
  readonly values: Map<string, Sums>
}

/** Adds the rows of one request. */
function addRows(
  sums: readonly Summing[],
  rows: readonly LedgerRow[],
  { firstDay, endDay }: LabelledMonth<Totalled>['month'],
) {
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
