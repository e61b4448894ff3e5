import { type Calendar, dayOfCalendar, startOf, UTC_CALENDAR } from '../../policy/calendar.ts'
import type { EpochMs } from '../../policy/config.ts'
import { readDay } from '../../policy/zone.ts'

/** The forms that `readSince` reads, for messages. */
export const SINCE_FORMS =
  'a duration such as 30d or 12h, a date such as 2026-11-01, a time such as 2026-11-01T14:00Z, today or yesterday'

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/**
 * The moment that a text means: so long before now, the beginning of a day, or a time. Days are those of the calendar, which clocks
 * make an hour shorter or longer twice a year. Undefined when it means none.
 */
export function readSince(text: string, now: EpochMs, calendar: Calendar = UTC_CALENDAR): EpochMs | undefined {
  const { amount, unit = '' } = /^(?<amount>\d{1,6})(?<unit>[smhd])$/.exec(text)?.groups ?? {}
  if (unit === 'd') return Math.max(0, daysBefore(Number(amount), now, calendar))
  if (amount !== undefined) return Math.max(0, now - Number(amount) * (UNITS[unit] ?? 0))
  const day = DAYS_AGO.get(text)
  if (day !== undefined) return startOf('day', calendar, dayOfCalendar(calendar, now) - day)
  const date = readDay(text)
  if (date !== undefined) return startOf('day', calendar, date)
  if (!/^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?Z)?$/.test(text)) return undefined
  const at = Date.parse(text)
  // Date.parse takes 31 February for 3 March in some engines.
  return Number.isNaN(at) || new Date(at).toISOString().slice(0, 10) !== text.slice(0, 10) ? undefined : at
}

/** So many days of the calendar before a moment, as long after midnight as it is. */
export function daysBefore(days: number, at: EpochMs, calendar: Calendar = UTC_CALENDAR): EpochMs {
  const today = dayOfCalendar(calendar, at)
  const [start, end] = [startOf('day', calendar, today - days), startOf('day', calendar, today - days + 1)]
  return Math.max(start, Math.min(start + at - startOf('day', calendar, today), end - 1))
}

/** A length of time such as `5s` or `250ms`, in milliseconds. Undefined where the text is none. */
export function readDuration(text: string): number | undefined {
  const { amount, unit = '' } = /^(?<amount>\d{1,9})(?<unit>ms|[smhd])$/.exec(text)?.groups ?? {}
  return amount === undefined ? undefined : Number(amount) * (unit === 'ms' ? 1 : (UNITS[unit] ?? 0))
}

const DAY = 86_400_000
const DAYS_AGO: ReadonlyMap<string, number> = new Map([
  ['today', 0],
  ['yesterday', 1],
])

/** A day, given in days since the epoch: `2026-11-21`. */
export const dayText = (day: number): string => new Date(day * DAY).toISOString().slice(0, 10)

/** A UTC hour, by its first moment: `2026-11-21T14:00Z`. */
export const hourText = (hour: EpochMs): string => `${new Date(hour).toISOString().slice(0, 16)}Z`
