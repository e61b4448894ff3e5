import { CALENDAR_UNITS, type Calendar, type CalendarUnit, UTC_CALENDAR } from '../calendar.ts'
import { isUtc } from '../zone.ts'

/**
 * A unit of a deployment's own calendar, as counters are named by it: `day@Europe:Berlin`, `month@Europe:Berlin@26`. Files, keys
 * and operators write `day`, and the calendar of the files makes this of it when a request claims the limit; so counters of
 * two calendars never meet.
 */
export type ZonedWindow = `${CalendarUnit}@${string}`

/** A unit and the calendar that it belongs to. */
export interface CalendarWindow {
  readonly unit: CalendarUnit
  readonly calendar: Calendar
}

/** The window that counts where files have a calendar. Windows shorter than a day, and those that slide, are the same everywhere. */
export function windowIn<Window extends string>(
  per: Window,
  { zone, monthStarts }: Calendar = UTC_CALENDAR,
): Window | ZonedWindow {
  const unit = CALENDAR_UNITS.find(each => each === per)
  if (!unit) return per
  const starts = unit === 'month' || unit === 'quarter' ? monthStarts : 1
  if (starts === 1 && isUtc(zone)) return per
  return `${unit}@${zone.replaceAll('/', ':')}${starts === 1 ? '' : `@${starts}`}`
}

/** The window as files write it. */
export const writtenWindow = <Window extends string>(per: Window): Window | CalendarUnit => calendarOf(per)?.unit ?? per

/** The unit and calendar of a window that has no fixed length; undefined for all others. */
export function calendarOf(per: string): CalendarWindow | undefined {
  const known = KNOWN.get(per)
  if (known || !per.includes('@')) return known
  const [name, zone, starts = '1'] = per.split('@', 3)
  const unit = CALENDAR_UNITS.find(each => each === name)
  if (!unit || zone === undefined) return undefined
  const window = { unit, calendar: { zone: zone.replaceAll(':', '/'), monthStarts: Number(starts) } }
  if (KNOWN.size >= MOST_KNOWN) for (const [other] of KNOWN) if (other.includes('@')) KNOWN.delete(other)
  KNOWN.set(per, window)
  return window
}

/** Days and weeks of UTC have a fixed length, and need no calendar. */
const KNOWN = new Map<string, CalendarWindow>([
  ['month', { unit: 'month', calendar: UTC_CALENDAR }],
  ['quarter', { unit: 'quarter', calendar: UTC_CALENDAR }],
])
const MOST_KNOWN = 100
