import { type Plan, type Price, placeOf } from './config.ts'
import type { OutputClaim } from './decision.ts'
import { type Refused, refused } from './ruling.ts'

/** How much a request may take at most. */
export interface Sized {
  /** Prompt tokens held: never fewer than the backend can count. */
  readonly input: number
  readonly output: OutputClaim
  readonly price: Price
  readonly items: number
  /** Of an image. */
  readonly imageSize?: string
}

/** Tokens are taken only as they are said, and here nothing is. */
export const SILENT: OutputClaim = { want: 0, min: 0, choices: 1 }

/** A 429 would be retried for ever: no minute is large enough. */
export function overMinute(plan: Plan, field: string, needed: number): Refused {
  const text = `the request needs up to ${needed} tokens, but plan ${plan.name} allows ${plan.tpm} a minute`
  return refused('body', field, text, placeOf(plan, 'tpm'))
}
