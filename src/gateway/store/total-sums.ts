import { addNanoUsd, ZERO_USD } from '../../policy/nano-usd.ts'
import { addCached, type CachedTokens } from '../../policy/price.ts'
import type { Total } from './ledger-store.ts'

/** The sums that all totals have. */
export type TotalSums = Pick<Total, 'requests' | 'inputTokens' | 'outputTokens' | 'cost' | keyof CachedTokens>

export const NO_SUMS: TotalSums = { requests: 0, inputTokens: 0, outputTokens: 0, cost: ZERO_USD }

export const addTotals = (a: TotalSums, b: TotalSums): TotalSums => ({
  requests: a.requests + b.requests,
  inputTokens: a.inputTokens + b.inputTokens,
  outputTokens: a.outputTokens + b.outputTokens,
  cost: addNanoUsd(a.cost, b.cost),
  ...addCached(a, b),
})
