import { isCharge, readAllotted } from '../../policy/billing/charges.ts'
import type { Allotment } from '../../policy/billing/coverage.ts'
import { type InvoiceLine, linesOf } from '../../policy/billing/invoice-lines.ts'
import { addNanoUsd, type NanoUsd, nanoUsd, subtractNanoUsd, ZERO_USD } from '../../policy/nano-usd.ts'
import type { Sums, ToolTotal, Total } from '../../records/sums.ts'
import { dayText } from '../../wire/admin/since.ts'
import type { LedgerStore } from '../store/ledger-store.ts'
import { addTotals, NO_SUMS } from '../store/total-sums.ts'

/**
 * The charges of one account for some UTC days. Models and tools add up to the total, and so do lines and tools, and
 * the days. It is built from totals, which outlive the rows and stop growing once the last request of those days ends.
 */
export interface Invoice {
  /** Dearest model first, each line one kind at one unit price. */
  readonly lines: readonly InvoiceLine[]
  /** Dearest first, without what their hosted tools cost. */
  readonly models: readonly Item[]
  /** Hosted tools, dearest first; those of days when they were not counted yet are in the cost of their models. */
  readonly tools: readonly ToolItem[]
  /** In their order, with the tools. */
  readonly days: readonly Item[]
  readonly total: Sums
  /** That the account had, in the order of their first day. */
  readonly plans: readonly string[]
  /** That of the last day with a request; absent where no gateway recorded one. */
  readonly allotment?: Allotment
}

interface Item extends Sums {
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
  const models = new Map<string, Sums>()
  const days = new Map<string, Sums>()
  const plans = new Set<string>()
  let total = NO_SUMS
  for await (const each of ledger.readTotals(query)) {
    add(models, each.model, each)
    add(days, dayText(each.day), each)
    plans.add(each.plan)
    total = addTotals(total, each)
  }
  const tools = new Map<string, ToolItem>()
  const charges = new ChargeSums()
  for await (const each of ledger.readTools(query)) {
    const { tool, model, calls, cost } = each
    if (isCharge(tool)) {
      charges.add(each)
      continue
    }
    const before = tools.get(tool) ?? { name: tool, calls: 0, cost: ZERO_USD }
    tools.set(tool, { name: tool, calls: before.calls + calls, cost: addNanoUsd(before.cost, cost) })
    const charged = models.get(model) ?? NO_SUMS
    models.set(model, { ...charged, cost: subtractNanoUsd(charged.cost, cost) })
  }
  const items = itemsOf(models).sort(dearestFirst)
  const { allotment } = charges
  return {
    lines: items.flatMap(({ name: model, requests, cost }) =>
      linesOf({ model, requests, cost, charges: charges.of(model) }),
    ),
    models: items,
    tools: [...tools.values()].filter(({ calls, cost }) => calls !== 0 || cost !== 0).sort(dearestFirst),
    days: itemsOf(days).sort(byName),
    total,
    plans: [...plans],
    ...(allotment && { allotment }),
  }
}

/** Quantities of charges by model, and the allotment that the newest of them were admitted under. */
class ChargeSums {
  readonly #models = new Map<string, Map<string, number>>()
  #newest: (Allotment & { readonly day: number }) | undefined

  add({ day, model, tool: name, calls: quantity }: ToolTotal): void {
    if (quantity <= 0) return
    const allotted = readAllotted(name)
    if (allotted) {
      this.#allot(day, allotted.of, allotted.amount)
      return
    }
    const sums = this.#models.get(model) ?? new Map<string, number>()
    sums.set(name, (sums.get(name) ?? 0) + quantity)
    this.#models.set(model, sums)
  }

  of(model: string): ReadonlyMap<string, number> {
    return this.#models.get(model) ?? NO_CHARGES
  }

  get allotment(): Allotment | undefined {
    const newest = this.#newest
    return newest && { allowance: newest.allowance, credit: newest.credit }
  }

  /** The largest amount of a day counts: an operator who grants credit means it for the whole month. */
  #allot(day: number, of: keyof Allotment, amount: NanoUsd): void {
    const newest = this.#newest
    if (newest && day < newest.day) return
    const before = newest?.day === day ? newest : { day, allowance: ZERO_USD, credit: ZERO_USD }
    this.#newest = { ...before, [of]: nanoUsd(Math.max(before[of], amount)) }
  }
}

const NO_CHARGES: ReadonlyMap<string, number> = new Map()

function add(sums: Map<string, Sums>, name: string, total: Total): void {
  sums.set(name, addTotals(sums.get(name) ?? NO_SUMS, total))
}

const itemsOf = (sums: ReadonlyMap<string, Sums>): Item[] => [...sums].map(([name, each]) => ({ name, ...each }))

const byName = (a: Item | ToolItem, b: Item | ToolItem): number => (a.name < b.name ? -1 : 1)
const dearestFirst = (a: Item | ToolItem, b: Item | ToolItem): number => b.cost - a.cost || byName(a, b)
