import type { HeldPrice, Meter, Model, Price } from './config.ts'
import { lowerNanoUsd, type NanoUsd, nanoUsd, ZERO_USD } from './nano-usd.ts'

/** The price of a request that is free. */
export const NO_PRICE: HeldPrice = { input: ZERO_USD, output: ZERO_USD }

/** The cost of tokens in and out, and of images. Rounded up once, so that small requests are never free. */
export const costOf = (price: HeldPrice, inputTokens: number, outputTokens: number, items = 0): NanoUsd =>
  nanoUsd(items * (price.item ?? 0) + Math.ceil((inputTokens * price.input + outputTokens * price.output) / 1000))

/** Tokens as they are paid. Those that a backend read from its cache of prompts, or wrote into it, are parts of the input. */
export interface PaidTokens extends CachedTokens {
  readonly inputTokens: number
  readonly outputTokens: number
}

export interface CachedTokens {
  readonly cachedTokens?: number
  readonly cacheWriteTokens?: number
  /** The written tokens that are kept for an hour. Rows of the ledger know their cost alone. */
  readonly cacheWrite1hTokens?: number
}

/** Sums, of which those that are 0 are absent. */
export function addCached(a: CachedTokens, b: CachedTokens, sign: 1 | -1 = 1): CachedTokens {
  const cachedTokens = (a.cachedTokens ?? 0) + sign * (b.cachedTokens ?? 0)
  const cacheWriteTokens = (a.cacheWriteTokens ?? 0) + sign * (b.cacheWriteTokens ?? 0)
  return { ...(cachedTokens !== 0 && { cachedTokens }), ...(cacheWriteTokens !== 0 && { cacheWriteTokens }) }
}

/** The cost of such tokens, and of images. Rounded up once. */
export function costOfTokens(price: Price, tokens: PaidTokens, items = 0): NanoUsd {
  const { input, output, item = 0, cachedInput = input, cacheWrite = input, cacheWrite1h = cacheWrite } = price
  const { fresh, cached, written, kept } = partsOf(tokens)
  const cache = cached * cachedInput + (written - kept) * cacheWrite + kept * cacheWrite1h
  return nanoUsd(items * item + Math.ceil((fresh * input + cache + tokens.outputTokens * output) / 1000))
}

/** How much more tokens would have cost, had those that a backend read from its cache been other input. Never below 0. */
export function savedByCache(price: Price, tokens: PaidTokens): NanoUsd {
  if (!tokens.cachedTokens || price.cachedInput === undefined) return ZERO_USD
  const uncached = costOfTokens({ ...price, cachedInput: price.input }, tokens)
  return nanoUsd(Math.max(0, uncached - costOfTokens(price, tokens)))
}

/** Input tokens by what they are paid as: neither is more than the input has, whatever a backend reports. */
export function partsOf({ inputTokens, cachedTokens = 0, cacheWriteTokens = 0, cacheWrite1hTokens = 0 }: PaidTokens) {
  const cached = Math.min(cachedTokens, inputTokens)
  const written = Math.min(cacheWriteTokens, inputTokens - cached)
  return { fresh: inputTokens - cached - written, cached, written, kept: Math.min(cacheWrite1hTokens, written) }
}

/** How long a request asks its backend to cache the prompt. */
export type CacheTime = '5m' | '1h'

/**
 * A price with what providers list for writing into a cache, where the files do not say: 1.25 times the input, and twice the
 * input for an hour. Without a request to keep anything, what a backend says that it wrote is other input.
 */
export function withCacheWrites(price: Price, time: CacheTime | undefined): Price {
  const { input, cacheWrite } = price
  if (time === undefined || cacheWrite !== undefined) return price
  const written = { ...price, cacheWrite: nanoUsd(Math.ceil(input * 1.25)) }
  return time === '1h' ? { ...written, cacheWrite1h: nanoUsd(input * 2) } : written
}

/** The price at which tokens are held: the dearest that any of them may have. */
export function heldPrice(price: Price): HeldPrice {
  if (!hasCache(price)) return price
  const { input, output, item, cachedInput = input, cacheWrite = input, cacheWrite1h = cacheWrite } = price
  const held = { input: nanoUsd(Math.max(input, cachedInput, cacheWrite, cacheWrite1h)), output }
  return item === undefined ? held : { ...held, item }
}

const hasCache = ({ cachedInput, cacheWrite, cacheWrite1h }: Price): boolean =>
  cachedInput !== undefined || cacheWrite !== undefined || cacheWrite1h !== undefined

/** The price that is paid in the end of tokens that were held at another. */
export function paidPrice(model: Model, held: HeldPrice, time?: CacheTime): Price {
  const price = 'price' in model && model.price ? withCacheWrites(model.price, time) : undefined
  if (!price) return held
  // It may have been held for a cache that the pool which answered does not keep.
  if (!hasCache(price)) return price.input < held.input ? { ...held, input: price.input } : held
  return { ...price, ...(held.item !== undefined && { item: held.item }) }
}

/**
 * The most output tokens that cost at most `budget`, beside input and images; negative when these alone cost more.
 * Exact while budget * 1000 stays below 2^53, which holds for budgets up to 9,000 USD.
 */
export function outputWithin(price: HeldPrice, inputTokens: number, items: number, budget: NanoUsd): number {
  const left = budget - items * (price.item ?? 0)
  if (price.output === 0) return costOf(price, inputTokens, 0) <= left ? Number.MAX_SAFE_INTEGER : -1
  return Math.floor((Math.min(left, 9e12) * 1000 - inputTokens * price.input) / price.output)
}

/** The measures of a pass-through request. */
export interface Measured {
  /** Bytes of its body and of its answer. */
  readonly bytes: number
  /** Since it was dispatched. */
  readonly millis: number
}

const MB = 1_000_000

/** The most that a request of this meter costs beside tokens, which is held for it. */
export const worstOf = (meter: Meter): NanoUsd =>
  meter.by === 'usage' ? ZERO_USD : meter.by === 'call' ? meter.price : nanoUsd(meter.price * meter.max)

/** The cost so far, beside tokens. Rounded up once, and never more than was held. */
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
