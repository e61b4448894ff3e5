import type { NanoUsd, Price } from './config.ts'

/** Nano-USD for tokens in and out. Rounded up once, so that small requests are never free. */
export const costOf = (price: Price, inputTokens: number, outputTokens: number): NanoUsd =>
  Math.ceil((inputTokens * price.input + outputTokens * price.output) / 1000)

/**
 * The most output tokens that cost at most `budget`, beside `inputTokens`; may be negative.
 * Exact while budget * 1000 stays below 2^53, which holds for budgets up to 9,000 USD.
 */
export function outputWithin(price: Price, inputTokens: number, budget: NanoUsd): number {
  if (price.output === 0) return costOf(price, inputTokens, 0) <= budget ? Number.MAX_SAFE_INTEGER : -1
  return Math.floor((Math.min(budget, 9e12) * 1000 - inputTokens * price.input) / price.output)
}
