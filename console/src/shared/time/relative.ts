import { day } from '../fmt.ts'
import * as common from '../texts/common.ts'

/** `3 min ago`, `in 4 h`; the day for what is more than a month away. */
export function relativeText(at: number, now: number): string {
  const distance = Math.abs(at - now)
  if (distance < SOON_MS) return common.now
  const isPast = at < now
  const span = spanText(distance, isPast ? Math.floor : Math.round)
  if (span === undefined) return day(at)
  return isPast ? common.ago(span) : common.inTime(span)
}

/** A distance in its largest unit; undefined beyond a month. */
function spanText(ms: number, whole: (value: number) => number): string | undefined {
  // Seconds change too often to be read: tens do.
  if (ms < MINUTE_MS - SOON_MS / 2) return common.seconds(whole(ms / SOON_MS) * (SOON_MS / 1000))
  const [minutes, hours, days] = [MINUTE_MS, HOUR_MS, DAY_MS].map(unit => Math.max(1, whole(ms / unit))) as [
    number,
    number,
    number,
  ]
  if (minutes < 60) return common.minutes(minutes)
  if (hours < 24) return common.hours(hours)
  return days <= MOST_DAYS ? common.days(days) : undefined
}

const SOON_MS = 10_000
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000
const MOST_DAYS = 30
