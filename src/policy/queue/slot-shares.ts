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

/** The owners of requests, by the names that shares of pools use. */
export interface Owners {
  readonly plan: string
  readonly org?: string | undefined
}

/** The share that requests of these count in: that of the org, where it has one, and else that of the plan. */
export const shareOf = (shares: readonly SlotShare[], { plan, org }: Owners): SlotShare | undefined =>
  shares.find(({ owner }) => org !== undefined && owner === `org:${org}`) ??
  shares.find(({ owner }) => owner === `plan:${plan}`)
