import type { Meter } from './config.ts'
import { lowerNanoUsd, type NanoUsd, nanoUsd, ZERO_USD } from './nano-usd.ts'

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
