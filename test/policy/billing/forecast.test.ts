import { expect, it } from 'vitest'
import { forecastOf } from '../../../src/policy/billing/forecast.ts'
import { monthAt, monthBefore, stateOf } from '../../../src/policy/billing/month.ts'
import { nanoUsd } from '../../../src/policy/nano-usd.ts'

const DAY = 86_400_000
const november = monthAt(Date.UTC(2026, 10, 15))
const first = november.since / DAY
const costs = (...days: readonly (readonly [day: number, usd: number])[]) =>
  new Map(days.map(([day, usd]) => [first + day - 1, nanoUsd(usd)]))
/** At noon of a day of November 2026. */
const noon = (day: number) => november.since + (day - 0.5) * DAY

it('each day left costs the mean of the last seven full days, and today that mean at least', () => {
  const used = costs([1, 1000], [8, 70], [10, 70], [15, 4])
  // Days 8 to 14 cost 140: 20 a day. 1,144 used, 16 more today, 15 days left.
  expect(forecastOf(used, november, noon(15))).toBe(1144 + 16 + 15 * 20)
  expect(forecastOf(costs([8, 140], [15, 50]), november, noon(15))).toBe(190 + 15 * 20)
})

it('a younger month takes the mean of the full days that it has had', () => {
  expect(forecastOf(costs([1, 30], [2, 10]), november, noon(3))).toBe(40 + 20 + 27 * 20)
})

it('there is no forecast on the first day, nor of a month that is over', () => {
  expect(forecastOf(costs([1, 30]), november, noon(1))).toBeUndefined()
  expect(forecastOf(costs([1, 30]), november, november.until)).toBeUndefined()
})

it('on its last day only today is added', () => {
  expect(forecastOf(costs([29, 70], [30, 2]), november, noon(30))).toBe(72 + 8)
})

it('a month runs, then closes for a day, then is issued', () => {
  const { until } = november
  expect([until - 1, until, until + DAY - 1, until + DAY].map(at => stateOf(november, at))).toEqual([
    'running',
    'closing',
    'closing',
    'issued',
  ])
})

it('months before another one cross the year', () => {
  const january = monthAt(Date.UTC(2027, 0, 31, 23, 59))
  expect(january).toMatchObject({ month: '2027-01', since: Date.UTC(2027, 0), until: Date.UTC(2027, 1) })
  expect([monthBefore(january).month, monthBefore(january, 13).month]).toEqual(['2026-12', '2025-12'])
})
