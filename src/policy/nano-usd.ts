declare const unit: unique symbol

/**
 * An integer amount of money in 1e-9 US dollars. The brand exists for the compiler only: neither a plain number nor an
 * amount of dollars passes for it, and arithmetic gives a plain number back, which `nanoUsd` or a function below names.
 */
export type NanoUsd = number & { readonly [unit]: 'nano-USD' }

/** Names the unit of a number that is known to be nano-USD, such as one read from a store. */
export const nanoUsd = (count: number): NanoUsd => count as NanoUsd

export const ZERO_USD: NanoUsd = nanoUsd(0)
export const ONE_NANO_USD: NanoUsd = nanoUsd(1)

export const addNanoUsd = (a: NanoUsd, b: NanoUsd): NanoUsd => nanoUsd(a + b)

export const lowerNanoUsd = (a: NanoUsd, b: NanoUsd): NanoUsd => (b < a ? b : a)

/** Below zero where `b` is more than `a`. */
export const subtractNanoUsd = (a: NanoUsd, b: NanoUsd): NanoUsd => nanoUsd(a - b)
