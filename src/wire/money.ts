import type { NanoUsd } from '../policy/nano-usd.ts'

/** Nano-USD as a JSON number of USD. */
export const usdNumber = (nano: NanoUsd): number => nano / 1e9

/** Nano-USD as decimal text without an exponent: `0.000012`. Exact. */
export function usdText(nano: NanoUsd): string {
  const digits = String(Math.abs(nano)).padStart(10, '0')
  const point = digits.length - 9
  let end = digits.length
  while (end > point && digits.charCodeAt(end - 1) === ZERO) end--
  const fraction = end > point ? `.${digits.slice(point, end)}` : ''
  return `${nano < 0 ? '-' : ''}${digits.slice(0, point)}${fraction}`
}

/** A decimal text of US dollars as people write it: `$20`, `$22.50`, `$0.000018`. Exact, and never with one digit of cents. */
export const dollars = (usd: string): string => `$${/\.\d$/.test(usd) ? `${usd}0` : usd}`

const ZERO = 0x30
