import { dayOfCalendar } from '../calendar.ts'
import type { EpochMs } from '../config.ts'
import { type NanoUsd, nanoUsd } from '../nano-usd.ts'
import type { BillingMonth } from './month.ts'

/** Costs by day, counted since the epoch. */
export type DayCosts = ReadonlyMap<number, NanoUsd>

/** Days whose mean continues: a week has every day of the week. */
const MEAN_DAYS = 7

/**
 * Estimates what a running month will cost: what was used so far, and for each day that is left the mean of the last seven full
 * days, or of those the month has had. Today costs that mean at least. Undefined on the first day, and once the month is over.
 */
export function forecastOf(
  costs: DayCosts,
  { firstDay, endDay, until, calendar }: BillingMonth,
  now: EpochMs,
): NanoUsd | undefined {
  const today = dayOfCalendar(calendar, now)
  if (today <= firstDay || now >= until) return undefined
  const from = Math.max(firstDay, today - MEAN_DAYS)
  let [used, recent] = [0, 0]
  for (const [day, cost] of costs) {
    used += cost
    if (day >= from && day < today) recent += cost
  }
  const mean = recent / (today - from)
  const daysLeft = endDay - today - 1
  return nanoUsd(used + Math.round(Math.max(0, mean - (costs.get(today) ?? 0)) + mean * daysLeft))
}
