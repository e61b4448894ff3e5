import { isCharge } from '../../policy/billing/charges.ts'
import { addNanoUsd, type NanoUsd, subtractNanoUsd, ZERO_USD } from '../../policy/nano-usd.ts'
import { dayText } from '../../wire/admin/since.ts'
import type { LedgerStore, Total } from '../store/ledger-store.ts'
import { addTotals, NO_SUMS, type TotalSums } from '../store/total-sums.ts'

/**
 * What one account is charged for some UTC days. Models and tools together cost the total, and so do the days. It is made of
 * totals, which outlive the rows.
 */
export interface Invoice {
  /** Dearest first, without what their hosted tools cost. */
  readonly models: readonly Item[]
  /** Hosted tools, dearest first; those of days when they were not counted yet are in the cost of their models. */
  readonly tools: readonly ToolItem[]
  /** In their order, with the tools. */
  readonly days: readonly Item[]
  readonly total: TotalSums
  /** That the account had, in the order of their first day. */
  readonly plans: readonly string[]
}

interface Item extends TotalSums {
  readonly name: string
}

interface ToolItem {
  readonly name: string
  readonly calls: number
  readonly cost: NanoUsd
}

interface InvoiceQuery {
  readonly account: string
  /** The first day, in days since the epoch, and the one after the last. */
  readonly since: number
  readonly until: number
}

export async function invoiceOf(
  ledger: Pick<LedgerStore, 'readTotals' | 'readTools'>,
  query: InvoiceQuery,
): Promise<Invoice> {
  const models = new Map<string, TotalSums>()
  const days = new Map<string, TotalSums>()
  const plans = new Set<string>()
  let total = NO_SUMS
  for await (const each of ledger.readTotals(query)) {
    add(models, each.model, each)
    add(days, dayText(each.day), each)
    plans.add(each.plan)
    total = addTotals(total, each)
  }
  const tools = new Map<string, ToolItem>()
  for await (const { tool, model, calls, cost } of ledger.readTools(query)) {
    if (isCharge(tool)) continue
    const before = tools.get(tool) ?? { name: tool, calls: 0, cost: ZERO_USD }
    tools.set(tool, { name: tool, calls: before.calls + calls, cost: addNanoUsd(before.cost, cost) })
    const charged = models.get(model) ?? NO_SUMS
    models.set(model, { ...charged, cost: subtractNanoUsd(charged.cost, cost) })
  }
  return {
    models: itemsOf(models).sort(dearestFirst),
    tools: [...tools.values()].filter(({ calls, cost }) => calls !== 0 || cost !== 0).sort(dearestFirst),
    days: itemsOf(days).sort(byName),
    total,
    plans: [...plans],
  }
}

function add(sums: Map<string, TotalSums>, name: string, total: Total): void {
  sums.set(name, addTotals(sums.get(name) ?? NO_SUMS, total))
}

const itemsOf = (sums: ReadonlyMap<string, TotalSums>): Item[] => [...sums].map(([name, each]) => ({ name, ...each }))

const byName = (a: Item | ToolItem, b: Item | ToolItem): number => (a.name < b.name ? -1 : 1)
const dearestFirst = (a: Item | ToolItem, b: Item | ToolItem): number => b.cost - a.cost || byName(a, b)
