import { type NanoUsd, nanoUsd } from '../policy/nano-usd.ts'

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

/** Reads a decimal of US dollars above 0, exactly. Undefined where it is none, too large, or finer than a nano-USD. */
export function readUsd(text: string): NanoUsd | undefined {
  const [, whole = '', fraction = ''] = /^(\d{1,6})(?:\.(\d{1,9}))?$/.exec(text) ?? []
  const nano = Number(whole + fraction.padEnd(9, '0'))
  return whole === '' || nano === 0 ? undefined : nanoUsd(nano)
}

/** Reads what `usdText` wrote, exactly. Throws RangeError for anything else. */
export function readUsdText(text: string): NanoUsd {
  const [, sign = '', whole, fraction = ''] = /^(-?)(\d+)(?:\.(\d{1,9}))?$/.exec(text) ?? []
  if (whole === undefined) throw new RangeError(`${text} is not an amount of US dollars`)
  return nanoUsd(Number(sign + whole + fraction.padEnd(9, '0')))
}

/** A decimal text of US dollars as people write it: `$20`, `$22.50`, `$0.000018`. Exact, and never with one digit of cents. */
export const dollars = (usd: string): string => `$${/\.\d$/.test(usd) ? `${usd}0` : usd}`

const ZERO = 0x30
