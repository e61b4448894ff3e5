import type { Calendar } from '../calendar.ts'
import { isUtc } from '../zone.ts'
import type { CountRule } from './named-rules.ts'
import type { LimitRule } from './rule.ts'

/** The named limits of a plan, by where their counters are. */
interface SplitLimits {
  /** Those whose counters are in the record of the account. */
  readonly recorded: readonly CountRule[]
  /** Those that count by days of a zone, in counters of their own: the record of an account counts days of UTC. */
  readonly zoned: readonly LimitRule[]
}

/** Splits the named limits of a plan by where the calendar of the files has them counted. */
export function splitLimits(limits: readonly CountRule[], calendar: Calendar | undefined): SplitLimits {
  if (calendar === undefined || isUtc(calendar.zone)) return { recorded: limits, zoned: NONE }
  const known = SPLIT.get(limits)
  if (known) return known
  const split = {
    recorded: limits.filter(({ per }) => per !== 'day'),
    zoned: limits.flatMap(({ measure, most, per }) => (per === 'day' ? [{ measure, most, per }] : [])),
  }
  SPLIT.set(limits, split)
  return split
}

const NONE: readonly LimitRule[] = []

/** Every request of a plan asks for them. */
const SPLIT = new WeakMap<readonly CountRule[], SplitLimits>()
