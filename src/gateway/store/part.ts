import type { EpochMs } from '../../policy/config.ts'

/**
 * A part of what a store has, for a copy while it serves. Rows, kept responses, the audit, and sums of days before `before` are
 * its past, of which what was read once changes no more. All else is its present, which is read while nothing is written. `news`
 * are the rows of requests that ended since the past was read, by their accounts.
 */
export type Part =
  | { readonly of: 'past' | 'present'; readonly before: Day }
  | { readonly of: 'news'; readonly requests: ReadonlyMap<string, string> }

/** In days since the epoch. */
type Day = number

/** So many days before today belong to the present: a request that runs longer is refused by the count of rows. */
const PRESENT_DAYS = 2
const DAY_MS = 86_400_000

/** The first day whose sums still change. */
export const firstPresentDay = (now: EpochMs): Day => Math.floor(now / DAY_MS) - PRESENT_DAYS
