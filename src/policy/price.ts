import type { Price } from './config.ts'
import { type NanoUsd, nanoUsd, ZERO_USD } from './nano-usd.ts'

/** What costs nothing. */
export const NO_PRICE: Price = { input: ZERO_USD, output: ZERO_USD }

/** What tokens in and out cost, and images. Rounded up once, so that small requests are never free. */
export const costOf = (price: Price, inputTokens: number, outputTokens: number, items = 0): NanoUsd =>
  nanoUsd(items * (price.item ?? 0) + Math.ceil((inputTokens * price.input + outputTokens * price.output) / 1000))

/**
 * The most output tokens that cost at most `budget`, beside input and images; negative when these alone cost more.
 * Exact while budget * 1000 stays below 2^53, which holds for budgets up to 9,000 USD.
 */
export function outputWithin(price: Price, inputTokens: number, items: number, budget: NanoUsd): number {
  const left = budget - items * (price.item ?? 0)
  if (price.output === 0) return costOf(price, inputTokens, 0) <= left ? Number.MAX_SAFE_INTEGER : -1
  return Math.floor((Math.min(left, 9e12) * 1000 - inputTokens * price.input) / price.output)
}
