import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Refuse } from '../../src/policy/decision.ts'
import { judge } from '../../src/policy/judge.ts'
import { release } from '../../src/policy/standing.ts'
import {
  ASK,
  type Asked,
  claimsOf,
  costAt,
  type Limits,
  limits,
  type Played,
  play,
  type Served,
  type Step,
  steps,
  WIDE,
} from './play.ts'

const RUNS = { numRuns: 400 }

describe('whatever the order of requests', () => {
  it('every limit holds, in every 60 s span and at every moment', () => {
    fc.assert(
      fc.property(limits, steps(), (limits, steps) => {
        play(limits, steps, ({ played, verdict }) => {
          expectWithin(limits, played)
          if (verdict.verdict === 'admit')
            expect(verdict.readings.used + verdict.readings.held).toBeLessThanOrEqual(limits.monthly)
        })
      }),
      RUNS,
    )
  })

  it('a clock that steps back admits no more', () => {
    fc.assert(
      fc.property(limits, steps(-71_000), (limits, steps) => {
        play(limits, steps, ({ played }) => expectWithin(limits, played))
      }),
      RUNS,
    )
  })

  it('the readings are what was admitted and settled', () => {
    fc.assert(
      fc.property(limits, steps(), (limits, steps) => {
        play(limits, steps, ({ played, verdict, clock }) => {
          const live = played.served.filter(({ hold }) => hold.second >= Math.floor(clock / 1000) - 60)
          expect(verdict.readings).toEqual({
            requests: live.length,
            tokens: tokensOf(live),
            day: played.served.length,
            open: played.open.length,
            used: played.used,
            held: heldBy(played),
          })
        })
      }),
      RUNS,
    )
  })

  it('a refusal is justified: the same claims would pass a limit', () => {
    fc.assert(
      fc.property(limits, steps(-2000), (limits, steps) => {
        play(limits, steps, asked => {
          if (asked.verdict.verdict === 'refuse') expect(excess(asked, asked.verdict)).toBeGreaterThan(0)
        })
      }),
      RUNS,
    )
  })

  it('a grant lies between min and want, and one token more would not fit', () => {
    fc.assert(
      fc.property(limits, steps(), (limits, steps) => {
        play(limits, steps, ({ claims, verdict }) => {
          if (verdict.verdict === 'refuse') return
          const { granted, readings } = verdict
          const { want, min, choices } = claims.output
          const weighs = (output: number) => claims.tokens.input + output * choices
          const costs = (output: number) => costAt(claims.tokens.input, output * choices)
          const fits = (output: number) =>
            output <= want &&
            readings.tokens + weighs(output) <= limits.tpm &&
            readings.used + readings.held + costs(output) <= limits.monthly

          expect(granted.output).toBeGreaterThanOrEqual(min)
          expect(granted).toEqual({
            output: granted.output,
            tokens: weighs(granted.output),
            cost: costs(granted.output),
          })
          expect([fits(granted.output), fits(granted.output + 1)]).toEqual([true, false])
        })
      }),
      RUNS,
    )
  })

  it('402 is said only of what would not fit even without the requests under way', () => {
    fc.assert(
      fc.property(limits, steps(), (limits, steps) => {
        play(limits, steps, ({ standing, claims, verdict, clock, played }) => {
          if (verdict.verdict === 'admit') return
          const alone = played.open.reduce((so, { hold }) => release(so, hold, { tokens: 0, cost: 0 }, clock), standing)
          const wide = {
            ...claims,
            requests: { limit: 1e9 },
            tokens: { ...claims.tokens, limit: 1e9 },
            day: { limit: 1e9 },
          }
          const fits = judge(alone, wide, clock).verdict === 'admit'
          expect(verdict.denial.code).toBe(fits ? 'rate_limit_exceeded' : 'quota_exceeded')
        })
      }),
      RUNS,
    )
  })

  /** Refused by time alone: what frees itself when others end has no exact wait. */
  const expectExactWaits = (limits: Limits, steps: readonly Step[]) =>
    play(limits, steps, ({ standing, claims, verdict, clock }) => {
      if (verdict.verdict === 'admit' || verdict.denial.code !== 'rate_limit_exceeded') return
      const then = clock + verdict.denial.retryAfterMs
      const again = { ...claims, spend: claimsOf(WIDE, ASK, then).spend }
      expect([judge(standing, again, then - 1).verdict, judge(standing, again, then).verdict]).toEqual([
        'refuse',
        'admit',
      ])
    })

  it.each(['rpm', 'tpm', 'perDay'] as const)(
    'a retry after the wait for %s is served if nobody took the room, and one a millisecond earlier is not',
    limit => {
      fc.assert(
        fc.property(limits, steps(-2000), (limits, steps) => {
          expectExactWaits({ ...WIDE, [limit]: limits[limit] }, steps)
        }),
        RUNS,
      )
    },
  )

  it('a retry after the wait is served where several limits refuse at once', () => {
    fc.assert(
      fc.property(limits, steps(), ({ rpm, tpm, perDay }, steps) => {
        expectExactWaits({ ...WIDE, rpm, tpm, perDay }, steps)
      }),
      { numRuns: 1000 },
    )
  })
})

const tokensOf = (served: readonly Served[]): number => served.reduce((sum, { tokens }) => sum + tokens, 0)
const heldBy = ({ open }: Played): number => open.reduce((sum, { hold }) => sum + hold.cost, 0)

/** Checked at each request; since all spans that end between two requests hold no more than these. */
function expectWithin(limits: Limits, played: Played): void {
  const span = played.served.filter(({ at }) => played.now - at <= 60_000)
  expect(span.length).toBeLessThanOrEqual(limits.rpm)
  expect(tokensOf(span)).toBeLessThanOrEqual(limits.tpm)
  expect(played.served.length).toBeLessThanOrEqual(limits.perDay)
  expect(played.open.length).toBeLessThanOrEqual(limits.maxConcurrent)
  expect(played.used + heldBy(played)).toBeLessThanOrEqual(limits.monthly)
}

/** By how much the claims pass the limit that refused them, counted from what was served. */
function excess({ claims, played, clock }: Asked, { denial }: Refuse): number {
  const current = Math.max(Math.floor(clock / 1000), ...played.served.map(({ hold }) => hold.second))
  const live = played.served.filter(({ hold }) => hold.second >= current - 60)
  const least = claims.output.min * claims.output.choices
  const cost = played.used + costAt(claims.tokens.input, least) - (claims.spend.limit ?? 0)
  if (denial.code === 'quota_exceeded') return cost
  const by = {
    requests: live.length + 1 - claims.requests.limit,
    tokens: tokensOf(live) + claims.tokens.input + least - claims.tokens.limit,
    daily_limit: played.served.length + 1 - (claims.day?.limit ?? 0),
    concurrency: played.open.length + 1 - (claims.concurrency?.limit ?? 0),
    quota_hold: cost + heldBy(played),
  }
  return by[denial.type]
}
