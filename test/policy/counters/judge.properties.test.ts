import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { holdOf, NOTHING, release, take } from '../../../src/policy/counters/account-counters.ts'
import { judge, judgeExtension } from '../../../src/policy/counters/judge.ts'
import type { Refuse } from '../../../src/policy/decision.ts'
import { limitsOf, mostOf } from '../../../src/policy/limits/named-rules.ts'
import type { Readings } from '../../../src/policy/limits/readings.ts'
import { nanoUsd } from '../../../src/policy/nano-usd.ts'
import {
  ASK,
  type Asked,
  type AskedMore,
  claimsOf,
  costAt,
  type Limits,
  limits,
  type Played,
  play,
  type Round,
  type Step,
  steps,
  WIDE,
} from '../play.ts'

const RUNS = { numRuns: 400 }

describe('whatever the order of requests', () => {
  it('every limit holds, in every 60 s span and at every moment', () => {
    fc.assert(
      fc.property(limits, steps(), (limits, steps) => {
        play(limits, steps, {
          seen: ({ played, verdict }) => {
            expectWithin(limits, played)
            if ('granted' in verdict)
              expect(verdict.readings.used + verdict.readings.held).toBeLessThanOrEqual(limits.monthly)
          },
          seenMore: ({ played }) => expectWithin(limits, played),
        })
      }),
      RUNS,
    )
  })

  it('a clock that steps back admits no more', () => {
    fc.assert(
      fc.property(limits, steps(-71_000), (limits, steps) => {
        const seen = ({ played }: Asked) => expectWithin(limits, played)
        play(limits, steps, { seen, seenMore: seen })
      }),
      RUNS,
    )
  })

  it('the readings are what was admitted and settled', () => {
    fc.assert(
      fc.property(limits, steps(), (limits, steps) => {
        const seen = ({ played, clock, verdict }: Asked) =>
          expect(verdict.readings).toEqual(readingsBy(played, Math.floor(clock / 1000)))
        play(limits, steps, { seen })
      }),
      RUNS,
    )
  })

  it('a refusal is justified: the same claims would pass a limit', () => {
    fc.assert(
      fc.property(limits, steps(-2000), (limits, steps) => {
        const seen = (asked: Asked) => {
          if ('denial' in asked.verdict) expect(excess(asked, asked.verdict)).toBeGreaterThan(0)
        }
        play(limits, steps, { seen })
      }),
      RUNS,
    )
  })

  it('a grant lies between min and want, and one token more would not fit', () => {
    fc.assert(
      fc.property(limits, steps(), (limits, steps) => {
        const seen = ({ claims, verdict }: Asked) => {
          if ('denial' in verdict) return
          const { granted, readings } = verdict
          const { want, min, choices } = claims.output
          const weighs = (output: number) => claims.input + output * choices
          const costs = (output: number) => costAt(claims.input, output * choices)
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
        }
        play(limits, steps, { seen, seenMore: seen })
      }),
      RUNS,
    )
  })

  it('402 is said only of what would not fit even without the requests under way', () => {
    fc.assert(
      fc.property(limits, steps(), (limits, steps) => {
        const seen = ({ standing, claims, verdict, clock, played }: Asked) => {
          if ('granted' in verdict) return
          const alone = played.open.reduce((so, { hold }) => release(so, hold, NOTHING, clock), standing)
          const wide = {
            ...claims,
            limits: limitsOf({ rpm: 1e9, tpm: 1e9, per_day: 1e9, max_concurrent: limits.maxConcurrent }),
          }
          const fits = 'granted' in judge(alone, wide, clock)
          expect(verdict.denial.code).toBe(fits ? 'rate_limit_exceeded' : 'quota_exceeded')
        }
        play(limits, steps, { seen })
      }),
      RUNS,
    )
  })

  /** Refused by time alone: what frees itself when others end has no exact wait. */
  const expectExactWaits = (limits: Limits, steps: readonly Step[]) =>
    play(limits, steps, {
      seen: ({ standing, claims, verdict, clock }) => {
        if ('granted' in verdict || verdict.denial.code !== 'rate_limit_exceeded') return
        const then = clock + verdict.denial.retryAfterMs
        const again = { ...claims, spend: claimsOf(WIDE, ASK, then).spend }
        expect(judge(standing, again, then - 1)).toHaveProperty('denial')
        expect(judge(standing, again, then)).toHaveProperty('granted')
      },
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

describe('another round of a request under way', () => {
  it('is refused only where its claims would pass a limit of tokens or spend, once what was spent is put right', () => {
    fc.assert(
      fc.property(limits, steps(-2000), (limits, steps) => {
        play(limits, steps, {
          seenMore: asked => {
            if ('denial' in asked.verdict) expect(excessMore(asked, asked.verdict)).toBeGreaterThan(0)
          },
        })
      }),
      RUNS,
    )
  })

  it('is judged on what others took, and what was spent', () => {
    fc.assert(
      fc.property(limits, steps(), (limits, steps) => {
        play(limits, steps, {
          seenMore: ({ played, clock, verdict, served, spent }) => {
            const second = Math.floor(clock / 1000)
            const before = readingsBy(played, second)
            const live = served.hold.second >= second - 60
            expect(verdict.readings).toEqual({
              ...before,
              tokens: before.tokens - (live ? served.hold.tokens + served.hold.spent.tokens - spent.tokens : 0),
              concurrent: before.concurrent - 1,
              used: before.used + spent.cost,
              held: before.held - served.hold.cost - served.hold.spent.cost,
            })
          },
        })
      }),
      RUNS,
    )
  })

  it('is never refused for requests, the day or concurrency, however narrow', () => {
    fc.assert(
      fc.property(limits, steps(), (limits, steps) => {
        play(limits, steps, {
          seenMore: ({ standing, served, spent, claims, clock, verdict }) => {
            const narrow = { ...claims, limits: limitsOf({ rpm: 0, tpm: limits.tpm, per_day: 0, max_concurrent: 0 }) }
            expect(judgeExtension(standing, served.hold, spent, narrow, clock)).toEqual(verdict)
          },
        })
      }),
      RUNS,
    )
  })

  it('that gives back what it did not spend fits where the request itself was admitted', () => {
    fc.assert(
      fc.property(limits, steps(), (limits, steps) => {
        play(limits, steps, {
          seen: ({ standing, claims, verdict, clock }) => {
            if ('denial' in verdict) return
            const names = { requestId: 'req_more', account: 'acct_a', window: claims.spend.window.start }
            const hold = holdOf(standing, verdict.granted, names, clock)
            const more = judgeExtension(take(standing, hold), hold, NOTHING, claims, clock)
            expect(more).toMatchObject({ granted: verdict.granted })
          },
        })
      }),
      RUNS,
    )
  })
})

const tokensOf = (rounds: readonly Round[]): number => rounds.reduce((sum, { tokens }) => sum + tokens, 0)
const roundsOf = ({ served }: Played): Round[] => served.flatMap(({ rounds }) => rounds)
const heldBy = ({ open }: Played): number => open.reduce((sum, { hold }) => sum + hold.spent.cost + hold.cost, 0)

/** While the clock does not step back. */
function readingsBy(played: Played, second: number): Readings {
  return {
    requests: played.served.filter(({ rounds }) => rounds[0].second >= second - 60).length,
    tokens: tokensOf(roundsOf(played).filter(round => round.second >= second - 60)),
    day: played.served.length,
    concurrent: played.open.length,
    used: nanoUsd(played.used),
    held: nanoUsd(heldBy(played)),
  }
}

/** Checked at each request; since all spans that end between two requests hold no more than these. */
function expectWithin(limits: Limits, played: Played): void {
  const inSpan = ({ at }: Round) => played.now - at <= 60_000
  expect(played.served.filter(({ rounds }) => inSpan(rounds[0])).length).toBeLessThanOrEqual(limits.rpm)
  expect(tokensOf(roundsOf(played).filter(inSpan))).toBeLessThanOrEqual(limits.tpm)
  expect(played.served.length).toBeLessThanOrEqual(limits.perDay)
  expect(played.open.length).toBeLessThanOrEqual(limits.maxConcurrent)
  expect(played.used + heldBy(played)).toBeLessThanOrEqual(limits.monthly)
}

/** Usage in the current second, computed from served requests. */
function liveIn({ played, clock }: Asked): { rounds: Round[]; requests: number } {
  const seconds = roundsOf(played).map(({ second }) => second)
  const oldest = Math.max(Math.floor(clock / 1000), ...seconds) - 60
  return {
    rounds: roundsOf(played).filter(({ second }) => second >= oldest),
    requests: played.served.filter(({ rounds }) => rounds[0].second >= oldest).length,
  }
}

/** How far the claims exceed the limit that refused them, computed from served requests. */
function excess(asked: Asked, { denial }: Refuse): number {
  const { claims, played } = asked
  const live = liveIn(asked)
  const least = claims.output.min * claims.output.choices
  const cost = played.used + costAt(claims.input, least) - (claims.spend.limit ?? 0)
  if (denial.code === 'quota_exceeded') return cost
  const by = {
    requests: live.requests + 1 - mostOf(claims.limits, 'rpm'),
    tokens: tokensOf(live.rounds) + claims.input + least - mostOf(claims.limits, 'tpm'),
    daily_limit: played.served.length + 1 - mostOf(claims.limits, 'per_day'),
    concurrency: played.open.length + 1 - mostOf(claims.limits, 'max_concurrent'),
    quota_hold: cost + heldBy(played),
  }
  if ('rule' in denial) throw new Error('no rule is among the claims')
  return by[denial.type]
}

/** How far another round exceeds the limit: its request's spend replaces its hold. */
function excessMore(asked: AskedMore, { denial }: Refuse): number {
  const { claims, played, served, spent } = asked
  const { rounds } = liveIn(asked)
  const last = served.rounds.at(-1)
  const freed = last && rounds.includes(last) ? served.hold.tokens + served.hold.spent.tokens - spent.tokens : 0
  const least = claims.output.min * claims.output.choices
  const cost = played.used + spent.cost + costAt(claims.input, least) - (claims.spend.limit ?? 0)
  if (denial.code === 'quota_exceeded') return cost
  if (denial.type === 'tokens') return tokensOf(rounds) - freed + claims.input + least - mostOf(claims.limits, 'tpm')
  if (denial.type === 'quota_hold') return cost + heldBy(played) - served.hold.cost - served.hold.spent.cost
  return 0
}
