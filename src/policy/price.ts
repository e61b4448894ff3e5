import type { Meter, Price } from './config.ts'
import { lowerNanoUsd, type NanoUsd, nanoUsd, ZERO_USD } from './nano-usd.ts'

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

/** What is known of a request that is passed on. */
export interface Measured {
  /** Of its body and of the answer's. */
  readonly bytes: number
  /** Since it was dispatched. */
  readonly millis: number
}

const MB = 1_000_000

/** What is held of it beside tokens: no request costs more. */
export const worstOf = (meter: Meter): NanoUsd =>
  meter.by === 'usage' ? ZERO_USD : meter.by === 'call' ? meter.price : nanoUsd(meter.price * meter.max)

/** What it has come to, beside tokens. Rounded up once, and never more than was held. */
export function costOfMeter(meter: Meter, { bytes, millis }: Measured): NanoUsd {
  switch (meter.by) {
    case 'usage':
      return ZERO_USD
    case 'call':
      return meter.price
    case 'second':
      return lowerNanoUsd(worstOf(meter), share(meter.price, Math.ceil(millis), 1000))
    case 'mb':
      return lowerNanoUsd(worstOf(meter), share(meter.price, bytes, MB))
  }
}

/** price × count ÷ unit, exact while price × unit stays below 2^53. */
function share(price: NanoUsd, count: number, unit: number): NanoUsd {
  const rest = count % unit
  return nanoUsd(((count - rest) / unit) * price + Math.ceil((rest * price) / unit))
}

/** The most bytes that may pass, of body and answer together. */
export const mostBytes = (meter: Meter): number => (meter.by === 'mb' ? meter.max * MB : Number.POSITIVE_INFINITY)
