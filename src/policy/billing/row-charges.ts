import { addNanoUsd, type NanoUsd, nanoUsd, subtractNanoUsd, ZERO_USD } from '../nano-usd.ts'
import { chargesWithout, readCharge } from './charges.ts'
import { type InvoiceLine, linesOf } from './invoice-lines.ts'

/** The charges of one row of the ledger. */
export interface ChargedRow {
  readonly model: string
  readonly cost: NanoUsd
  readonly charges?: Readonly<Record<string, number>> | undefined
  readonly tools?: Readonly<Record<string, number>> | undefined
  readonly toolCosts?: Readonly<Record<string, NanoUsd>> | undefined
}

/** The parts of a row, which add up to its cost exactly. */
export interface RowCharges {
  readonly lines: readonly InvoiceLine[]
  readonly tools: readonly { readonly name: string; readonly calls: number; readonly cost: NanoUsd }[]
}

/**
 * Splits the cost of a row by kind, unit price and hosted tool. A row that corrects an earlier one of its request repeats the
 * quantities of both, and has the difference of their costs: `before` is that earlier row. Where quantities fell, one line has
 * the whole difference.
 */
export function chargesOfRow(row: ChargedRow, before?: ChargedRow): RowCharges {
  const tools = toolsOf(row, before)
  const cost = subtractNanoUsd(
    row.cost,
    tools.reduce((sum, each) => addNanoUsd(sum, each.cost), ZERO_USD),
  )
  const charges = chargesWithout(row.charges ?? {}, before?.charges ?? {})
  const fell = Object.entries(charges).some(([name, quantity]) => quantity < 0 && readCharge(name))
  const known = new Map(fell ? [] : Object.entries(charges))
  return { lines: linesOf({ model: row.model, requests: 1, cost, charges: known }), tools }
}

/** Rows of older gateways have calls without their costs, which are then those of the model. */
function toolsOf(row: ChargedRow, before: ChargedRow | undefined): RowCharges['tools'] {
  const costs = row.toolCosts ?? {}
  const was = before?.toolCosts === undefined ? undefined : before
  return [...new Set([...Object.keys(costs), ...Object.keys(was?.toolCosts ?? {})])]
    .map(name => ({
      name,
      calls: (row.tools?.[name] ?? 0) - (was?.tools?.[name] ?? 0),
      cost: nanoUsd((costs[name] ?? 0) - (was?.toolCosts?.[name] ?? 0)),
    }))
    .filter(({ calls, cost }) => calls !== 0 || cost !== 0)
}
