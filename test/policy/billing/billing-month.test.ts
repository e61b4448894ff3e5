import { expect, it } from 'vitest'
import { monthMeant } from '../../../src/policy/billing/month.ts'

const FISCAL = { zone: 'Asia/Tokyo', monthStarts: 26 }

it.each([
  ['2026-12', undefined, ['2026-12', '2026-12-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z']],
  ['this', undefined, ['2026-12', '2026-12-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z']],
  ['last', undefined, ['2026-11', '2026-11-01T00:00:00.000Z', '2026-12-01T00:00:00.000Z']],
  ['this', FISCAL, ['2027-01', '2026-12-25T15:00:00.000Z', '2027-01-25T15:00:00.000Z']],
  ['last', FISCAL, ['2026-12', '2026-11-25T15:00:00.000Z', '2026-12-25T15:00:00.000Z']],
] as const)('the month %j at the end of 25 December, UTC, by %j', (text, calendar, meant) => {
  const month = monthMeant(text, Date.parse('2026-12-25T16:00:00Z'), calendar)
  if (!month) throw new Error('it means no month')
  expect([month.month, ...[month.since, month.until].map(at => new Date(at).toISOString())]).toEqual(meant)
})

it.each(['2026-13', '2026-00', '2026-1', '2026', '2026-10-01', 'This', 'next', ''])('%j is no month', text => {
  expect(monthMeant(text, 0)).toBeUndefined()
})
