import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  CALENDAR_UNITS,
  type Calendar,
  type CalendarUnit,
  dayOfCalendar,
  firstDayOf,
  indexOfDay,
  spanAt,
  startOf,
} from '../../src/policy/calendar.ts'
import { NAMED_WINDOWS } from '../../src/policy/limits/rule.ts'
import { calendarOf, windowIn, writtenWindow } from '../../src/policy/limits/zoned-window.ts'

const DAY = 86_400_000

/** Zones with an hour of daylight saving, half an hour, none, offsets of 45 minutes, a skipped day, and clocks set back over midnight. */
const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Asia/Kathmandu',
  'America/St_Johns',
  'America/Havana',
  'Africa/Cairo',
]

const calendars = fc.record<Calendar>({ zone: fc.constantFrom(...ZONES), monthStarts: fc.integer({ min: 1, max: 28 }) })
const units = fc.constantFrom<CalendarUnit>(...CALENDAR_UNITS)
/** 1990 to 2060, with the leap day of 2000. */
const moments = fc.integer({ min: Date.UTC(1990, 0), max: Date.UTC(2060, 0) })

/** The clock of a zone as Intl writes it. */
const clockOf = (zone: string, at: number): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' }).format(at)

test('every moment is in one unit, which begins where the one before it ends', () => {
  fc.assert(
    fc.property(units, calendars, moments, (unit, calendar, at) => {
      const { index, start, end } = spanAt(unit, calendar, at)
      expect(start <= at && at < end).toBe(true)
      expect([startOf(unit, calendar, index), startOf(unit, calendar, index + 1)]).toEqual([start, end])
      expect(spanAt(unit, calendar, start)).toEqual({ index, start, end })
      expect(spanAt(unit, { ...calendar }, end).start).toBe(end)
      expect(spanAt(unit, { ...calendar }, start - 1).end).toBe(start)
    }),
  )
})

test('a unit begins with the first moment that clocks of the zone show of its first day', () => {
  fc.assert(
    fc.property(units, calendars, moments, (unit, calendar, at) => {
      const { index, start } = spanAt(unit, calendar, at)
      const first = new Date(firstDayOf(unit, calendar, index) * DAY).toISOString().slice(0, 10)
      const isSkipped = calendar.zone === 'Pacific/Apia' && first === '2011-12-30'
      expect(clockOf(calendar.zone, start).slice(0, 10)).toBe(isSkipped ? '2011-12-31' : first)
      expect(clockOf(calendar.zone, start - 1) < clockOf(calendar.zone, start)).toBe(true)
    }),
  )
})

test('units hold whole days: the day of a moment is in the unit of the moment', () => {
  fc.assert(
    fc.property(units, calendars, moments, (unit, calendar, at) => {
      expect(indexOfDay(unit, calendar, dayOfCalendar(calendar, at))).toBe(spanAt(unit, calendar, at).index)
    }),
  )
})

test.each([
  ['the day that clocks go forward', 'day', 'Europe/Berlin', '2026-03-29T10:00Z', '2026-03-28T23:00Z', 23],
  ['the day that clocks go back', 'day', 'America/New_York', '2026-11-01T10:00Z', '2026-11-01T04:00Z', 25],
  ['half an hour forward', 'day', 'Australia/Lord_Howe', '2026-10-03T20:00Z', '2026-10-03T13:30Z', 23.5],
  ['half an hour back', 'day', 'Australia/Lord_Howe', '2026-04-05T00:00Z', '2026-04-04T13:00Z', 24.5],
  ['the day before a skipped one', 'day', 'Pacific/Apia', '2011-12-29T12:00Z', '2011-12-29T10:00Z', 24],
  ['the day after a skipped one', 'day', 'Pacific/Apia', '2011-12-30T12:00Z', '2011-12-30T10:00Z', 24],
  ['an offset of 45 minutes', 'day', 'Asia/Kathmandu', '2026-06-01T00:00Z', '2026-05-31T18:15Z', 24],
  ['a week with 23 hours in its Sunday', 'week', 'Europe/Berlin', '2026-03-26T12:00Z', '2026-03-22T23:00Z', 167],
  ['February of a leap year', 'month', 'Europe/Berlin', '2028-02-29T12:00Z', '2028-01-31T23:00Z', 29 * 24],
  ['the month that clocks go back in', 'month', 'Europe/Berlin', '2026-10-15T12:00Z', '2026-09-30T22:00Z', 31 * 24 + 1],
  ['the second quarter', 'quarter', 'America/New_York', '2026-05-15T12:00Z', '2026-04-01T04:00Z', 91 * 24],
] as const)('%s begins at local midnight and lasts as long as clocks say', (_, unit, zone, at, start, hours) => {
  const span = spanAt(unit, { zone, monthStarts: 1 }, Date.parse(at))
  expect(new Date(span.start).toISOString().slice(0, 16)).toBe(start.slice(0, 16))
  expect((span.end - span.start) / 3_600_000).toBe(hours)
})

test.each([
  [5, '2026-11-04', '2026-10', '2026-10-05'],
  [5, '2026-11-05', '2026-11', '2026-11-05'],
  [26, '2026-11-25', '2026-11', '2026-10-26'],
  [26, '2026-11-26', '2026-12', '2026-11-26'],
  [28, '2028-02-28', '2028-03', '2028-02-28'],
])('with months from day %i, %s is in %s, which begins on %s', (monthStarts, day, month, first) => {
  const index = indexOfDay('month', { monthStarts }, Date.parse(day) / DAY)
  expect(`${Math.floor(index / 12)}-${String((index % 12) + 1).padStart(2, '0')}`).toBe(month)
  expect(firstDayOf('month', { monthStarts }, index)).toBe(Date.parse(first) / DAY)
})

test('a quarter is three months, and begins where its first one does', () => {
  fc.assert(
    fc.property(calendars, moments, (calendar, at) => {
      const { index, start, end } = spanAt('quarter', calendar, at)
      const months = [0, 1, 2, 3].map(place => startOf('month', calendar, index * 3 + place))
      expect([months[0], months[3]]).toEqual([start, end])
    }),
  )
})

test.each([
  ['day', 'Europe/Berlin', 26, 'day@Europe:Berlin'],
  ['month', 'Europe/Berlin', 26, 'month@Europe:Berlin@26'],
  ['quarter', 'Europe/Berlin', 1, 'quarter@Europe:Berlin'],
  ['month', 'UTC', 26, 'month@UTC@26'],
  ['day', 'UTC', 26, 'day'],
  ['month', 'UTC', 1, 'month'],
  ['hour', 'Europe/Berlin', 26, 'hour'],
  ['30d', 'Europe/Berlin', 26, '30d'],
] as const)('%s in %s with months from day %i is counted as %s', (per, zone, monthStarts, name) => {
  expect(windowIn(per, { zone, monthStarts })).toBe(name)
})

test('the name of a counter has the zone, and is shown without it', () => {
  fc.assert(
    fc.property(fc.constantFrom(...NAMED_WINDOWS), calendars, (per, calendar) => {
      const name = windowIn(per, calendar)
      expect(writtenWindow(name)).toBe(per)
      if (name.includes('@')) expect(calendarOf(name)?.calendar.zone).toBe(calendar.zone)
    }),
  )
})
