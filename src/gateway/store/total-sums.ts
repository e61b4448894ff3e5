import { addNanoUsd, ZERO_USD } from '../../policy/nano-usd.ts'
import { listOf, type MaybeName } from '../../records/fields.ts'
import { SUMS, type Sums, type WasteTotal } from '../../records/sums.ts'

export const NO_SUMS: Sums = { requests: 0, inputTokens: 0, outputTokens: 0, cost: ZERO_USD }

export const addTotals = (a: Sums, b: Sums): Sums => ({
  requests: a.requests + b.requests,
  inputTokens: a.inputTokens + b.inputTokens,
  outputTokens: a.outputTokens + b.outputTokens,
  cost: addNanoUsd(a.cost, b.cost),
  ...addLater(a, b),
})

/** Adds the sums of failed attempts. */
export function addWaste(a: WastedSums, b: WastedSums): WastedSums {
  const { requests: attempts, ...sums } = addTotals({ ...a, requests: a.attempts }, { ...b, requests: b.attempts })
  return { attempts, ...sums }
}

/** The sums of failed attempts, each of which counts where totals count a request. */
export type WastedSums = Omit<WasteTotal, 'day' | 'pool'>

export const NO_WASTE: WastedSums = { attempts: 0, inputTokens: 0, outputTokens: 0, cost: ZERO_USD }

/** Sums that not all rows and totals have. */
export type LaterSums = Pick<Sums, LaterSum>
type LaterSum = MaybeName<typeof SUMS>

export const LATER_SUMS: readonly LaterSum[] = listOf(SUMS)
  .filter(({ isOptional }) => isOptional)
  .map(({ member }) => member as LaterSum)

/** Leaves out the sums that are 0. */
export function addLater(a: LaterSums, b: LaterSums, sign: 1 | -1 = 1): LaterSums {
  const sums: Partial<Record<LaterSum, number>> = {}
  for (const name of LATER_SUMS) {
    const sum = (a[name] ?? 0) + sign * (b[name] ?? 0)
    if (sum !== 0) sums[name] = sum
  }
  return sums as LaterSums
}
