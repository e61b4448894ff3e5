import type { EpochMs, Millis } from './time.ts'

/** A calendar day of some zone, without a zone of its own: days since 1970-01-01. */
export type DayNumber = number

const DAY_MS = 86_400_000

/** The most that the clock of any zone is ahead of UTC. */
export const MOST_AHEAD_MS: Millis = 14 * 3_600_000

export const dayText = (day: DayNumber): string => new Date(day * DAY_MS).toISOString().slice(0, 10)

/** The day of a text such as `2026-10-31`; undefined where it is no day of the calendar. */
export function readDay(text: string): DayNumber | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined
  const at = Date.parse(`${text}T00:00:00Z`)
  return Number.isNaN(at) || dayText(at / DAY_MS) !== text ? undefined : at / DAY_MS
}

/** Made once for each zone, since it costs more than all the rest. */
const formats = new Map<string, Intl.DateTimeFormat>()

/** The offset of a zone's clocks from UTC at a moment, in milliseconds: 3,600,000 in Berlin in winter. */
function offsetAt(zone: string, at: EpochMs): number {
  if (isUtc(zone)) return 0
  let format = formats.get(zone)
  if (!format) {
    format = new Intl.DateTimeFormat('en-US', {
      ...{ timeZone: zone, calendar: 'gregory', numberingSystem: 'latn', hourCycle: 'h23' },
      ...{ era: 'short', year: 'numeric', month: 'numeric', day: 'numeric' },
      ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
    })
    formats.set(zone, format)
  }
  const parts: Record<string, string> = {}
  for (const { type, value } of format.formatToParts(at)) parts[type] = value
  const year = parts.era === 'BC' ? 1 - Number(parts.year) : Number(parts.year)
  const local = Date.UTC(
    year,
    Number(parts.month) - 1,
    Number(parts.day),
    Number(parts.hour),
    Number(parts.minute),
    Number(parts.second),
  )
  return local - Math.floor(at / 1000) * 1000
}

/** Whether a zone's clocks need not be looked up. */
export const isUtc = (zone: string): boolean => zone === 'UTC'

/** The day of a zone that a moment is in. */
export const dayIn = (zone: string, at: EpochMs): DayNumber => Math.floor((at + offsetAt(zone, at)) / DAY_MS)

/** The first moment of a day of a zone. Where clocks skip midnight, the day begins after the skip. */
export function startOfDay(zone: string, day: DayNumber): EpochMs {
  const midnight = day * DAY_MS
  // The earliest moment that the clock of the zone can mean, by either offset around it.
  const offsets = [offsetAt(zone, midnight - DAY_MS), offsetAt(zone, midnight + DAY_MS)]
  for (const at of offsets.map(offset => midnight - offset).sort((a, b) => a - b))
    if (dayIn(zone, at) === day && dayIn(zone, at - 1) < day) return at
  return firstMoment(zone, day, midnight)
}

/** The first moment whose day in a zone is this one or a later one, by halves. */
function firstMoment(zone: string, day: DayNumber, near: EpochMs): EpochMs {
  let before = near - 2 * DAY_MS
  let after = near + 2 * DAY_MS
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (dayIn(zone, middle) < day) before = middle
    else after = middle
  }
  return after
}
