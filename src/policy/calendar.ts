import type { EpochMs } from './time.ts'
import { type DayNumber, dayIn, isUtc, startOfDay } from './zone.ts'

/** The clock by which a deployment counts its days, weeks, months and quarters. */
export interface Calendar {
  /** An IANA name, such as `Europe/Berlin`. */
  readonly zone: string
  /**
   * The day on which its months begin, 1 to 28: `26` for months from the 26th to the 25th. One that begins after the 15th has the name
   * of the month in which it ends.
   */
  readonly monthStarts: number
}

/** Days of UTC, and months that begin on the 1st. */
export const UTC_CALENDAR: Calendar = { zone: 'UTC', monthStarts: 1 }

export const CALENDAR_UNITS = ['day', 'week', 'month', 'quarter'] as const

/** Weeks begin on Monday. A quarter has three months, from January, April, July or October. */
export type CalendarUnit = (typeof CALENDAR_UNITS)[number]

/** A unit of a calendar: start <= at < end. */
export interface CalendarSpan {
  /** Days and weeks since 1970, months since the year 0, quarters since the year 0. */
  readonly index: number
  readonly start: EpochMs
  readonly end: EpochMs
}

/** The unit that a moment is in. */
export function spanAt(unit: CalendarUnit, calendar: Calendar, at: EpochMs): CalendarSpan {
  const known = RECENT.get(calendar) ?? new Map<CalendarUnit, CalendarSpan>()
  const recent = known.get(unit)
  if (recent && recent.start <= at && at < recent.end) return recent
  const span = findSpan(unit, calendar, at)
  RECENT.set(calendar, known.set(unit, span))
  return span
}

/** The span of each unit and calendar that was found last: clocks of zones cost more to read than all else of a decision. */
const RECENT = new WeakMap<Calendar, Map<CalendarUnit, CalendarSpan>>()

/** Where clocks are set back over midnight, the day that began once goes on: units follow each other without a gap. */
function findSpan(unit: CalendarUnit, calendar: Calendar, at: EpochMs): CalendarSpan {
  let index = indexOfDay(unit, calendar, dayIn(calendar.zone, at))
  let [start, end] = [startOf(unit, calendar, index), startOf(unit, calendar, index + 1)]
  while (at >= end) {
    index++
    start = end
    end = startOf(unit, calendar, index + 1)
  }
  return { index, start, end }
}

/** The first moment of a unit. A day that clocks skip begins and ends where the next one begins. */
export const startOf = (unit: CalendarUnit, calendar: Calendar, index: number): EpochMs =>
  startOfDay(calendar.zone, firstDayOf(unit, calendar, index))

/** The first day of a unit. */
export function firstDayOf(
  unit: CalendarUnit,
  { monthStarts }: Pick<Calendar, 'monthStarts'>,
  index: number,
): DayNumber {
  switch (unit) {
    case 'day':
      return index
    case 'week':
      return index * WEEK_DAYS + FIRST_MONDAY
    case 'month':
      return firstOfMonth(index, monthStarts)
    case 'quarter':
      return firstOfMonth(index * QUARTER_MONTHS, monthStarts)
  }
}

/** The unit that a day belongs to. */
export function indexOfDay(unit: CalendarUnit, { monthStarts }: Pick<Calendar, 'monthStarts'>, day: DayNumber): number {
  switch (unit) {
    case 'day':
      return day
    case 'week':
      return Math.floor((day - FIRST_MONDAY) / WEEK_DAYS)
    case 'month':
      return monthOfDay(day, monthStarts)
    case 'quarter':
      return Math.floor(monthOfDay(day, monthStarts) / QUARTER_MONTHS)
  }
}

/** The day of a calendar that a moment is in: what the ledger sums up by. */
export const dayOfCalendar = (calendar: Calendar, at: EpochMs): DayNumber =>
  isUtc(calendar.zone) ? Math.floor(at / DAY_MS) : spanAt('day', calendar, at).index

const WEEK_DAYS = 7
/** 1970-01-05 */
const FIRST_MONDAY = 4
const QUARTER_MONTHS = 3
const DAY_MS = 86_400_000

/** How many months after the one it begins in a month is named. */
const namedLater = (monthStarts: number): 0 | 1 => (monthStarts > 15 ? 1 : 0)

function firstOfMonth(index: number, monthStarts: number): DayNumber {
  const begins = index - namedLater(monthStarts)
  return Date.UTC(Math.floor(begins / 12), begins - 12 * Math.floor(begins / 12), monthStarts) / DAY_MS
}

function monthOfDay(day: DayNumber, monthStarts: number): number {
  const date = new Date(day * DAY_MS)
  const begins = date.getUTCFullYear() * 12 + date.getUTCMonth() - (date.getUTCDate() < monthStarts ? 1 : 0)
  return begins + namedLater(monthStarts)
}
