import type { SlotShare } from '../config.ts'
import { WHOLE } from '../traffic/share.ts'

/**
 * The slots that each share guarantees, of so many: by largest remainder, so that all of them together, and those of nobody, are
 * as many as there are. Shares are millionths, together at most a million. Among equal remainders, the earlier one is rounded up.
 */
export function guaranteedSlots(millionths: readonly number[], slots: number): readonly number[] {
  const rest = millionths.reduce((left, each) => left - each, WHOLE)
  const parts = [...millionths, rest].map((each, place) => ({
    place,
    whole: Math.floor((each * slots) / WHOLE),
    remainder: (each * slots) % WHOLE,
  }))
  const left = parts.reduce((sum, { whole }) => sum - whole, slots)
  const roundedUp = new Set(
    [...parts]
      .sort((a, b) => b.remainder - a.remainder || a.place - b.place)
      .slice(0, left)
      .map(({ place }) => place),
  )
  return parts.slice(0, -1).map(({ place, whole }) => whole + (roundedUp.has(place) ? 1 : 0))
}

/** A request's slot in a pool with shares: guaranteed to its owner, lent by an owner that does not use it, or guaranteed to nobody. */
export type SlotKind = 'guaranteed' | 'borrowed' | 'open'

/**
 * Slots in use that are lent: requests use them without a guarantee, and owners of shares may have them back. `taken` of `max`
 * slots are in use.
 */
export function borrowedSlots(
  shares: readonly { readonly slots: number; readonly held: number }[],
  { taken, max }: { readonly taken: number; readonly max: number },
): number {
  const sum = (count: (share: (typeof shares)[number]) => number) =>
    shares.reduce((total, each) => total + count(each), 0)
  const open = max - sum(({ slots }) => slots)
  return Math.max(0, taken - sum(({ slots, held }) => Math.min(slots, held)) - open)
}

/** The owners of requests, by the names that shares of pools use. */
export interface Owners {
  readonly plan: string
  readonly org?: string | undefined
}

/** The share that requests of these count in: that of the org, where it has one, and else that of the plan. */
export const shareOf = (shares: readonly SlotShare[], { plan, org }: Owners): SlotShare | undefined =>
  shares.find(({ owner }) => org !== undefined && owner === `org:${org}`) ??
  shares.find(({ owner }) => owner === `plan:${plan}`)
