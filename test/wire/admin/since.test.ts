import { expect, it } from 'vitest'
import { dayOfCalendar } from '../../../src/policy/calendar.ts'
import { readSince } from '../../../src/wire/admin/since.ts'

const NOW = Date.UTC(2026, 10, 21, 10)

it.each([
  ['30d', '2026-10-22T10:00:00.000Z'],
  ['12h', '2026-11-20T22:00:00.000Z'],
  ['90m', '2026-11-21T08:30:00.000Z'],
  ['5s', '2026-11-21T09:59:55.000Z'],
  ['0d', '2026-11-21T10:00:00.000Z'],
  ['2026-11-01', '2026-11-01T00:00:00.000Z'],
  ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  ['2026-11-01T14:00Z', '2026-11-01T14:00:00.000Z'],
  ['2026-11-01T14:00:05.25Z', '2026-11-01T14:00:05.250Z'],
  ['today', '2026-11-21T00:00:00.000Z'],
  ['yesterday', '2026-11-20T00:00:00.000Z'],
  // Longer ago than there is time.
  ['999999d', '1970-01-01T00:00:00.000Z'],
])('%s is since %s', (text, moment) => {
  expect(new Date(readSince(text, NOW) ?? Number.NaN).toISOString()).toBe(moment)
})

/** At these moments days of 23 or 25 hours lie in between, or begin today. */
const CHANGES = [
  ['Europe/Berlin', '2026-03-30T22:30:00Z'],
  ['Europe/Berlin', '2026-10-25T22:30:00Z'],
  ['Europe/Berlin', '2026-10-31T22:45:00Z'],
  ['Europe/Berlin', '2026-03-31T22:15:00Z'],
  ['America/Santiago', '2026-09-06T03:30:00Z'],
  ['Australia/Lord_Howe', '2026-10-04T12:00:00Z'],
] as const

it.each(CHANGES)('so many days ago are so many days of the calendar, in %s at %s', (zone, time) => {
  const calendar = { zone, monthStarts: 1 }
  const now = Date.parse(time)
  for (const days of [0, 1, 2, 6, 29, 89, 365]) {
    const since = readSince(`${days}d`, now, calendar) ?? Number.NaN
    expect([days, dayOfCalendar(calendar, since)]).toEqual([days, dayOfCalendar(calendar, now) - days])
    expect(Math.abs(now - since - days * 86_400_000)).toBeLessThanOrEqual(3_600_000)
  }
})

it.each([
  '',
  '30',
  'd',
  '-1d',
  '1.5d',
  '1w',
  '1 d',
  '30D',
  '2026-02-29',
  '2026-13-01',
  '2026-11-1',
  '2026-11-01T00:00',
  '2026-02-29T00:00Z',
  '2026-11-01T25:00Z',
  'constructor',
  'now',
])('%j is no moment', text => {
  expect(readSince(text, NOW)).toBeUndefined()
})
