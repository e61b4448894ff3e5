import fc from 'fast-check'
import { expect, it } from 'vitest'
import { relativeText } from '../../console/src/shared/time/relative.ts'

const NOW = Date.parse('2026-11-28T14:00:00Z')
const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

it.each([
  [0, 'just now', 'just now'],
  [9 * SECOND, 'just now', 'just now'],
  [42 * SECOND, '40 s ago', 'in 40 s'],
  [59 * SECOND, '1 min ago', 'in 1 min'],
  [3 * MINUTE, '3 min ago', 'in 3 min'],
  [3.7 * MINUTE, '3 min ago', 'in 4 min'],
  [59.8 * MINUTE, '59 min ago', 'in 1 h'],
  [4 * HOUR, '4 h ago', 'in 4 h'],
  [23.9 * HOUR, '23 h ago', 'in 1 day'],
  [30 * HOUR, '1 day ago', 'in 1 day'],
  [6 * DAY, '6 days ago', 'in 6 days'],
  [30 * DAY, '30 days ago', 'in 30 days'],
])('a moment %i ms away is "%s", or "%s"', (distance, past, future) => {
  expect([relativeText(NOW - distance, NOW), relativeText(NOW + distance, NOW)]).toEqual([past, future])
})

it('a moment more than a month away is its day', () => {
  expect(relativeText(NOW - 31 * DAY, NOW)).toMatch(/2026/)
  expect(relativeText(NOW + 40 * DAY, NOW)).toMatch(/2027/)
})

it('no moment of the past is ahead, none of the future is ago, and no distance is 0', () => {
  fc.assert(
    fc.property(fc.integer({ min: 10 * SECOND, max: 30 * DAY }), distance => {
      const [past, future] = [relativeText(NOW - distance, NOW), relativeText(NOW + distance, NOW)]
      expect(past).toMatch(/^[1-9]\d* (s|min|h|days?) ago$/)
      expect(future).toMatch(/^in [1-9]\d* (s|min|h|days?)$/)
    }),
  )
})
