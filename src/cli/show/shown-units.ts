import type { Price } from '../../policy/config.ts'
import type { NanoUsd } from '../../policy/nano-usd.ts'

/** Fields as the main file of a configuration has them. */
export type Section = Readonly<Record<string, unknown>>

/** In place of a secret. */
export const COVERED = '[redacted]'

/** Nano-USD for 1,000 tokens as US dollars for a million. */
export const shownPrice = (nano: Price['input']): number => nano / 1e6

export const shownPrices = ({ input, output }: Price): Section => ({
  input: shownPrice(input),
  output: shownPrice(output),
})

/** Nano-USD as US dollars. */
export const shownUsd = (nano: NanoUsd): number => nano / 1e9

/** Bytes in the largest unit that says them whole: `10MB`. */
export function shownSize(bytes: number): string | number {
  if (bytes % 1e6 === 0) return `${bytes / 1e6}MB`
  return bytes % 1e3 === 0 ? `${bytes / 1e3}KB` : bytes
}
