import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type AccountCounters,
  amend,
  type Charge,
  dayOf,
  extend,
  type Hold,
  holdOf,
  liveMinute,
  NO_COUNTERS,
  NOTHING,
  readingsOf,
  release,
  take,
} from '../../../src/policy/counters/account-counters.ts'
import { windowOf } from '../../../src/policy/decision.ts'
import { nanoUsd, ZERO_USD } from '../../../src/policy/nano-usd.ts'

const NOON = Date.UTC(2025, 5, 16, 12)
const WINDOW = windowOf(NOON).start
const GRANTED = { output: 20, tokens: 30, cost: nanoUsd(50) }

const holdAt = (standing: AccountCounters, at: number, granted = GRANTED): Hold =>
  holdOf(standing, granted, { requestId: `req_${at}`, account: 'acct_a', window: windowOf(at).start }, at)

/** The standing after one admission at each time. */
const takenAt = (...times: readonly number[]): AccountCounters =>
  times.reduce((standing, at) => take(standing, holdAt(standing, at)), NO_COUNTERS)

const readings = (standing: AccountCounters, at: number) => readingsOf(standing, WINDOW, at)

const SPENT: Charge = { tokens: 12, cost: nanoUsd(14) }

const charge: fc.Arbitrary<Charge> = fc.record({ tokens: fc.nat(200), cost: fc.nat(400).map(nanoUsd) })
const granted = fc.record({ output: fc.nat(99), tokens: fc.nat(200), cost: fc.nat(400).map(nanoUsd) })
/** After requests of the minute before, all of them under way. */
const arbitraryStanding: fc.Arbitrary<AccountCounters> = fc
  .array(fc.nat(50_000), { maxLength: 9 })
  .map(ages => takenAt(...ages.sort((a, b) => b - a).map(age => NOON - age)))
const work = fc.record({
  grant: granted,
  rounds: fc.array(fc.record({ spent: charge, grant: granted }), { maxLength: 4 }),
  last: charge,
})

const sumOf = (a: Charge, b: Charge): Charge => ({ tokens: a.tokens + b.tokens, cost: nanoUsd(a.cost + b.cost) })

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
        let standing = NO_COUNTERS
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
    expect(take(standing, holdAt(standing, midnight)).calendar[0]?.requests).toBe(1)
  })

  it('is not given back', () => {
    const standing = takenAt(NOON)

    expect(readings(release(standing, holdAt(NO_COUNTERS, NOON), { tokens: 0, cost: ZERO_USD }, NOON), NOON).day).toBe(
      1,
    )
  })
})

describe('a hold', () => {
  it('that ends as it began leaves what it took, as used', () => {
    const hold = holdAt(NO_COUNTERS, NOON)

    const after = release(take(NO_COUNTERS, hold), hold, hold, NOON)

    expect(readings(after, NOON)).toEqual({
      requests: 1,
      tokens: 30,
      day: 1,
      concurrent: 0,
      used: nanoUsd(50),
      held: ZERO_USD,
    })
  })

  it('that bought nothing frees tokens and spend', () => {
    const hold = holdAt(NO_COUNTERS, NOON)

    const after = release(take(NO_COUNTERS, hold), hold, { tokens: 0, cost: ZERO_USD }, NOON)

    expect(readings(after, NOON)).toEqual({
      requests: 1,
      tokens: 0,
      day: 1,
      concurrent: 0,
      used: ZERO_USD,
      held: ZERO_USD,
    })
  })

  it('is corrected in the bucket it was counted in', () => {
    const hold = holdAt(NO_COUNTERS, NOON)
    const standing = [1000, 2000].reduce((so, later) => take(so, holdAt(so, NOON + later)), take(NO_COUNTERS, hold))

    const after = release(standing, hold, { tokens: 12, cost: nanoUsd(14) }, NOON + 2000)

    expect(after.minute.map(({ tokens }) => tokens)).toEqual([12, 30, 30])
  })

  it('that left the minute frees nothing, and its excess counts in the newest bucket', () => {
    const hold = holdAt(NO_COUNTERS, NOON)
    const first = take(NO_COUNTERS, hold)
    const later = take(first, holdAt(first, NOON + 70_000))

    expect(release(later, hold, { tokens: 0, cost: ZERO_USD }, NOON + 70_000).minute).toEqual(later.minute)
    expect(release(later, hold, { tokens: 100, cost: nanoUsd(50) }, NOON + 70_000).minute).toEqual([
      { second: NOON / 1000 + 70, requests: 1, tokens: 100 },
    ])
  })

  it('that left the minute and weighed more counts now, though nothing else was admitted since', () => {
    const hold = holdAt(NO_COUNTERS, NOON)

    const after = release(take(NO_COUNTERS, hold), hold, { tokens: 1000, cost: nanoUsd(50) }, NOON + 70_000)

    expect(readings(after, NOON + 70_000)).toMatchObject({ requests: 0, tokens: 970 })
  })

  it('ends in the window of its admission', () => {
    const end = windowOf(NOON).end
    const hold = holdAt(NO_COUNTERS, end - 1)
    const standing = take(NO_COUNTERS, hold)
    const next = take(standing, holdAt(standing, end))

    const after = release(next, hold, { tokens: 30, cost: nanoUsd(40) }, end)

    expect(after.spend).toEqual({
      [WINDOW]: { used: nanoUsd(40), held: ZERO_USD },
      [end]: { used: ZERO_USD, held: nanoUsd(50) },
    })
  })

  it('a standing is plain JSON', () => {
    const standing = takenAt(NOON, NOON + 5000)

    expect(JSON.parse(JSON.stringify(standing))).toEqual(standing)
  })
})

describe('an extension', () => {
  const GRANT = { output: 40, tokens: 45, cost: nanoUsd(85) }

  it('counts its rounds where each was taken, and holds what they spent', () => {
    const hold = holdAt(NO_COUNTERS, NOON)

    const { counters, hold: extended } = extend(take(NO_COUNTERS, hold), hold, SPENT, GRANT, NOON + 5000)

    expect(extended).toEqual({ ...hold, ...GRANT, second: NOON / 1000 + 5, round: 1, spent: SPENT })
    expect(counters).toEqual({
      minute: [
        { second: NOON / 1000, requests: 1, tokens: 12 },
        { second: NOON / 1000 + 5, requests: 0, tokens: 45 },
      ],
      calendar: [{ number: dayOf(NOON / 1000), requests: 1 }],
      concurrent: 1,
      spend: { [WINDOW]: { used: ZERO_USD, held: nanoUsd(99) } },
    })
  })

  it('in the window of its admission, whatever the month by then', () => {
    const { end } = windowOf(NOON)
    const hold = holdAt(NO_COUNTERS, end - 1)

    const { counters } = extend(take(NO_COUNTERS, hold), hold, SPENT, GRANT, end + 5000)

    expect(counters.spend).toEqual({ [WINDOW]: { used: ZERO_USD, held: nanoUsd(99) } })
  })

  it('whose rounds weighed nothing leaves what a fresh hold would', () => {
    fc.assert(
      fc.property(arbitraryStanding, granted, granted, (standing, first, second) => {
        const hold = holdAt(standing, NOON, first)
        const fresh = holdAt(standing, NOON, second)

        const extended = extend(take(standing, hold), hold, NOTHING, second, NOON)

        expect(extended.counters).toEqual(take(standing, fresh))
        expect(extended.hold).toEqual({ ...fresh, round: 1 })
      }),
    )
  })

  it('whatever the rounds and their order, what remains is the charge, and nothing held', () => {
    fc.assert(
      fc.property(fc.array(work, { minLength: 1, maxLength: 8 }), fc.array(fc.nat(99)), (works, turns) => {
        let at = NOON
        let standing = NO_COUNTERS
        const open = works.map((work, index) => {
          const hold = { ...holdAt(standing, at, work.grant), requestId: `req_${index}` }
          standing = take(standing, hold)
          return { ...work, hold, rounds: [...work.rounds] }
        })
        const charges: Charge[] = []
        for (let turn = 0; open.length > 0; turn++) {
          at += 500
          const index = (turns[turn % Math.max(1, turns.length)] ?? 0) % open.length
          const [one] = open.slice(index, index + 1)
          const round = one?.rounds.shift()
          if (one && round) {
            const extended = extend(standing, one.hold, sumOf(one.hold.spent, round.spent), round.grant, at)
            standing = extended.counters
            one.hold = extended.hold
          } else if (one) {
            const charge = sumOf(one.hold.spent, one.last)
            standing = release(standing, one.hold, charge, at)
            charges.push(charge)
            open.splice(index, 1)
          }
        }

        const total = charges.reduce(sumOf, NOTHING)
        expect(readings(standing, at)).toEqual({
          requests: works.length,
          tokens: total.tokens,
          day: works.length,
          concurrent: 0,
          used: total.cost,
          held: ZERO_USD,
        })
      }),
    )
  })
})

describe('an amendment', () => {
  it('after an orphan leaves what one settlement would have', () => {
    fc.assert(
      fc.property(arbitraryStanding, granted, charge, charge, (before, grant, was, charge) => {
        const hold = holdAt(before, NOON, grant)
        const standing = take(before, hold)

        const amended = amend(release(standing, hold, was, NOON + 9000), hold, was, charge, NOON + 40_000)

        expect(readings(amended, NOON + 40_000)).toEqual(
          readings(release(standing, hold, charge, NOON + 40_000), NOON + 40_000),
        )
      }),
    )
  })

  it('of a hold that is not known charges all of it, and leaves those of others alone', () => {
    const known = holdAt(NO_COUNTERS, NOON)

    const amended = amend(take(NO_COUNTERS, known), { ...known, requestId: 'req_lost' }, NOTHING, SPENT, NOON + 1000)

    expect(readings(amended, NOON + 1000)).toEqual({
      requests: 1,
      tokens: 42,
      day: 1,
      concurrent: 1,
      used: nanoUsd(14),
      held: nanoUsd(50),
    })
  })

  it('of what left the minute frees nothing there, and an excess counts now', () => {
    const hold = holdAt(NO_COUNTERS, NOON)
    const standing = release(take(NO_COUNTERS, hold), hold, SPENT, NOON)
    const later = NOON + 70_000

    expect(readings(amend(standing, hold, SPENT, NOTHING, later), later)).toMatchObject({ tokens: 0, used: ZERO_USD })
    expect(readings(amend(standing, hold, SPENT, { tokens: 30, cost: nanoUsd(50) }, later), later)).toMatchObject({
      tokens: 18,
      used: nanoUsd(50),
    })
  })
})
