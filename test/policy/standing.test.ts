import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type Hold,
  holdOf,
  liveMinute,
  newStanding,
  readingsOf,
  release,
  type Standing,
  take,
} from '../../src/policy/standing.ts'
import { windowOf } from '../../src/policy/window.ts'

const NOON = Date.UTC(2025, 5, 16, 12)
const WINDOW = windowOf(NOON).start
const GRANTED = { output: 20, tokens: 30, cost: 50 }

const holdAt = (standing: Standing, at: number, granted = GRANTED): Hold =>
  holdOf(standing, granted, { requestId: `req_${at}`, account: 'acct_a', window: windowOf(at).start }, at)

/** The standing after one admission at each time. */
const takenAt = (...times: readonly number[]): Standing =>
  times.reduce((standing, at) => take(standing, holdAt(standing, at)), newStanding)

const readings = (standing: Standing, at: number) => readingsOf(standing, WINDOW, at)

describe('the minute', () => {
  it.each([
    ['the same moment', 0, 1],
    ['60 s later', 60_000, 1],
    ['at the last moment of the 61st second', 60_999, 1],
    ['when no span of 60 s can hold both', 61_000, 0],
    ['the clock a second back', -1000, 1],
    ['the clock two minutes back', -120_000, 1],
    ['the clock further back', -121_000, 0],
  ])('a request counts: %s', (_when, later, requests) => {
    expect(readings(takenAt(NOON), NOON + later)).toMatchObject({ requests, tokens: requests * 30 })
  })

  it('keeps at most 61 buckets, oldest first', () => {
    const standing = takenAt(...Array.from({ length: 300 }, (_, index) => NOON + index * 500))

    expect(standing.minute).toHaveLength(61)
    expect(standing.minute.map(({ second }) => second)).toEqual(
      Array.from({ length: 61 }, (_, index) => NOON / 1000 + 149 - 60 + index),
    )
  })

  it('counts in the newest bucket while the clock is behind it', () => {
    const standing = takenAt(NOON, NOON - 30_000)

    expect(standing.minute).toEqual([{ second: NOON / 1000, requests: 2, tokens: 60 }])
  })

  it('starts anew when the clock went back more than two minutes', () => {
    const standing = takenAt(NOON, NOON - 200_000)

    expect(standing.minute).toEqual([{ second: NOON / 1000 - 200, requests: 1, tokens: 30 }])
  })

  it('is in order, whatever the clock does', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -200_000, max: 200_000 }), { maxLength: 60 }), steps => {
        let at = NOON
        let standing = newStanding
        for (const step of steps) {
          at += step
          standing = take(standing, holdAt(standing, at))
          const seconds = standing.minute.map(({ second }) => second)
          expect(seconds).toEqual([...new Set(seconds)].sort((a, b) => a - b))
          expect(liveMinute(standing, at).second).toBe(seconds.at(-1))
        }
      }),
    )
  })
})

describe('the day', () => {
  const midnight = Date.UTC(2025, 5, 17)

  it('ends at midnight UTC', () => {
    const standing = takenAt(midnight - 2, midnight - 1)

    expect(readings(standing, midnight - 1).day).toBe(2)
    expect(readings(standing, midnight).day).toBe(0)
    expect(take(standing, holdAt(standing, midnight)).day.requests).toBe(1)
  })

  it('is not given back', () => {
    const standing = takenAt(NOON)

    expect(readings(release(standing, holdAt(newStanding, NOON), { tokens: 0, cost: 0 }, NOON), NOON).day).toBe(1)
  })
})

describe('a hold', () => {
  it('that ends as it began leaves what it took, as used', () => {
    const hold = holdAt(newStanding, NOON)

    const after = release(take(newStanding, hold), hold, hold, NOON)

    expect(readings(after, NOON)).toEqual({ requests: 1, tokens: 30, day: 1, open: 0, used: 50, held: 0 })
  })

  it('that bought nothing frees tokens and spend', () => {
    const hold = holdAt(newStanding, NOON)

    const after = release(take(newStanding, hold), hold, { tokens: 0, cost: 0 }, NOON)

    expect(readings(after, NOON)).toEqual({ requests: 1, tokens: 0, day: 1, open: 0, used: 0, held: 0 })
  })

  it('is corrected in the bucket it was counted in', () => {
    const hold = holdAt(newStanding, NOON)
    const standing = [1000, 2000].reduce((so, later) => take(so, holdAt(so, NOON + later)), take(newStanding, hold))

    const after = release(standing, hold, { tokens: 12, cost: 14 }, NOON + 2000)

    expect(after.minute.map(({ tokens }) => tokens)).toEqual([12, 30, 30])
  })

  it('that left the minute frees nothing, and its excess counts in the newest bucket', () => {
    const hold = holdAt(newStanding, NOON)
    const first = take(newStanding, hold)
    const later = take(first, holdAt(first, NOON + 70_000))

    expect(release(later, hold, { tokens: 0, cost: 0 }, NOON + 70_000).minute).toEqual(later.minute)
    expect(release(later, hold, { tokens: 100, cost: 50 }, NOON + 70_000).minute).toEqual([
      { second: NOON / 1000 + 70, requests: 1, tokens: 100 },
    ])
  })

  it('that left the minute and weighed more counts now, though nothing else was admitted since', () => {
    const hold = holdAt(newStanding, NOON)

    const after = release(take(newStanding, hold), hold, { tokens: 1000, cost: 50 }, NOON + 70_000)

    expect(readings(after, NOON + 70_000)).toMatchObject({ requests: 0, tokens: 970 })
  })

  it('ends in the window of its admission', () => {
    const end = windowOf(NOON).end
    const hold = holdAt(newStanding, end - 1)
    const standing = take(newStanding, hold)
    const next = take(standing, holdAt(standing, end))

    const after = release(next, hold, { tokens: 30, cost: 40 }, end)

    expect(after.spend).toEqual({ [WINDOW]: { used: 40, held: 0 }, [end]: { used: 0, held: 50 } })
  })

  it('a standing is plain JSON', () => {
    const standing = takenAt(NOON, NOON + 5000)

    expect(JSON.parse(JSON.stringify(standing))).toEqual(standing)
  })
})
