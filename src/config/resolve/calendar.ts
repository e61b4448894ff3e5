import { type Calendar, UTC_CALENDAR } from '../../policy/calendar.ts'
import type { ConfigFile } from '../file.ts'
import { unitOf } from '../model/units.ts'

/** The calendar of a checked main file; undefined where that is UTC with months from the 1st. */
export function calendarOf({ zone = UTC_CALENDAR.zone, fiscal_month_starts = 1 }: ConfigFile): Calendar | undefined {
  const calendar = {
    zone: isNamedUtc(zone) ? UTC_CALENDAR.zone : zone,
    monthStarts: unitOf('count', fiscal_month_starts),
  }
  const isUsual = calendar.zone === UTC_CALENDAR.zone && calendar.monthStarts === UTC_CALENDAR.monthStarts
  return isUsual ? undefined : Object.freeze(calendar)
}

/** UTC has other names, such as `Etc/UTC`, under which its counters are the same. */
const isNamedUtc = (zone: string): boolean =>
  new Intl.DateTimeFormat('en-US', { timeZone: zone }).resolvedOptions().timeZone === UTC_CALENDAR.zone
