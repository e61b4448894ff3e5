import { expect, it } from 'vitest'
import { dayText, readDay, startOfDay } from '../../src/policy/zone.ts'

const HOUR = 3_600_000

/** Zones whose summer time begins at midnight, by half an hour or never, and one that left out a day. */
const ZONES = [
  ...['Europe/Berlin', 'America/Sao_Paulo', 'America/Los_Angeles', 'Asia/Beirut', 'Asia/Kathmandu', 'Africa/Cairo'],
  ...['Australia/Lord_Howe', 'Pacific/Apia', 'Pacific/Kiritimati', 'America/Havana', 'Etc/GMT+12', 'UTC'],
]

it.each(ZONES)('days of %s have no gap and no overlap, and each begins where its calendar says so', zone => {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' })
  const lengths = new Set<number>()
  for (const year of [2012, 2026]) {
    const first = readDay(`${year}-01-01`) ?? 0
    for (let day = first; day < first + 366; day++) {
      const start = startOfDay(zone, day)
      expect(format.format(start)).toBe(dayText(day))
      expect(format.format(start - 1)).toBe(dayText(day - 1))
      lengths.add((startOfDay(zone, day + 1) - start) / HOUR)
    }
  }
  for (const length of lengths) expect([23, 23.5, 24, 24.5, 25]).toContain(length)
})

it('days of Berlin have 23 hours in March and 25 in October', () => {
  const hours = (text: string) => {
    const day = readDay(text) ?? 0
    return (startOfDay('Europe/Berlin', day + 1) - startOfDay('Europe/Berlin', day)) / HOUR
  }
  expect([hours('2026-03-29'), hours('2026-07-01'), hours('2026-10-25')]).toEqual([23, 24, 25])
})

it('a day that a zone left out has no length', () => {
  const day = readDay('2011-12-30') ?? 0
  expect(startOfDay('Pacific/Apia', day)).toBe(startOfDay('Pacific/Apia', day + 1))
})

it('a text that is no day of the calendar is none', () => {
  expect(['2026-02-29', '2026-13-01', '26-01-01', '2026-01-01T00:00Z'].map(readDay)).toEqual(Array(4).fill(undefined))
})
