import fc from 'fast-check'
import type { Claims, Granted, Verdict } from '../../src/policy/decision.ts'
import { judge } from '../../src/policy/judge.ts'
import { costOf } from '../../src/policy/price.ts'
import { type Charge, type Hold, holdOf, newStanding, release, type Standing, take } from '../../src/policy/standing.ts'
import { windowOf } from '../../src/policy/window.ts'

/** A Monday in the middle of a month, on a full second. */
export const NOON = Date.UTC(2025, 5, 16, 12)

export interface Limits {
  readonly rpm: number
  readonly tpm: number
  readonly perDay: number
  readonly maxConcurrent: number
  /** Nano-USD. */
  readonly monthly: number
}

/** What a request wants. */
export interface Ask {
  readonly input: number
  readonly want: number
  readonly min: number
  readonly choices: number
}

/** No limit binds but those a test sets. */
export const WIDE: Limits = { rpm: 1e6, tpm: 1e9, perDay: 1e6, maxConcurrent: 1e6, monthly: 1e12 }

/** 10 tokens in and 20 out, 50 nano-USD. */
export const ASK: Ask = { input: 10, want: 20, min: 20, choices: 1 }

const price = { input: 1000, output: 2000 }

/** Claims at 1 nano-USD a token in and 2 a token out. */
export const claimsOf = (limits: Limits, { input, want, min, choices }: Ask, at: number): Claims => ({
  requests: { limit: limits.rpm },
  tokens: { limit: limits.tpm, input },
  day: { limit: limits.perDay },
  concurrency: { limit: limits.maxConcurrent },
  spend: {
    limit: limits.monthly,
    allotment: limits.monthly,
    overageEnabled: false,
    window: windowOf(at),
    price,
    items: 0,
  },
  output: { want, min, choices },
})

export const costAt = (input: number, output: number): number => costOf(price, input, output)

export type Step =
  | { readonly do: 'ask'; readonly ask: Ask }
  | { readonly do: 'end'; readonly pick: number; readonly percent: number }
  | { readonly do: 'wait'; readonly ms: number }

const ask: fc.Arbitrary<Ask> = fc
  .record({ input: fc.nat(200), min: fc.nat(20), more: fc.nat(200), choices: fc.integer({ min: 1, max: 4 }) })
  .map(({ input, min, more, choices }) => ({ input, min, want: min + more, choices }))

/** Waits of `least` ms or more; a negative one turns the clock back. */
export const steps = (least = 0): fc.Arbitrary<Step[]> =>
  fc.array(
    fc.oneof(
      { weight: 6, arbitrary: fc.record({ do: fc.constant('ask' as const), ask }) },
      { weight: 3, arbitrary: fc.record({ do: fc.constant('end' as const), pick: fc.nat(99), percent: fc.nat(100) }) },
      {
        weight: 3,
        arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: least, max: 3000 }) }),
      },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.nat(70_000) }) },
    ),
    { minLength: 10, maxLength: 80 },
  )

/** Tight enough that every limit refuses now and then. */
export const limits: fc.Arbitrary<Limits> = fc.record({
  rpm: fc.integer({ min: 1, max: 12 }),
  tpm: fc.integer({ min: 500, max: 4000 }),
  perDay: fc.integer({ min: 5, max: 60 }),
  maxConcurrent: fc.integer({ min: 1, max: 8 }),
  monthly: fc.integer({ min: 500, max: 20_000 }),
})

/** One admitted request as a client sees it; `at` is true time, `tokens` what it weighs by now. */
export interface Served {
  readonly at: number
  readonly hold: Hold
  tokens: number
}

export interface Asked {
  readonly standing: Standing
  readonly claims: Claims
  readonly verdict: Verdict
  /** What the clock showed. */
  readonly clock: number
  readonly played: Played
}

/** The world so far, kept apart from the standing that is under test. */
export interface Played {
  /** True time only grows; the clock may be behind it. */
  now: number
  readonly served: Served[]
  readonly open: Served[]
  used: number
}

/** How far the clock may be behind the true time; past 120 s the minute starts anew, by design. */
const LAG_MAX = 71_000

/** Plays steps against judge, take and release. `seen` looks at every verdict before it takes effect. */
export function play(
  limits: Limits,
  steps: readonly Step[],
  seen: (asked: Asked) => void,
): Played & { standing: Standing } {
  const played: Played = { now: NOON, served: [], open: [], used: 0 }
  let standing: Standing = newStanding
  let clock = NOON
  const admit = (granted: Granted) => {
    const names = { requestId: `req_${played.served.length}`, account: 'acct_a', window: windowOf(clock).start }
    const hold = holdOf(standing, granted, names, clock)
    const served = { at: played.now, hold, tokens: hold.tokens }
    played.served.push(served)
    played.open.push(served)
    standing = take(standing, hold)
  }
  const end = (served: Served, charge: Charge) => {
    played.open.splice(played.open.indexOf(served), 1)
    played.used += charge.cost
    served.tokens = charge.tokens
    standing = release(standing, served.hold, charge, clock)
  }

  for (const step of steps) {
    if (step.do === 'wait') {
      played.now += Math.max(0, step.ms)
      clock = Math.max(clock + step.ms, played.now - LAG_MAX)
    } else if (step.do === 'ask') {
      const claims = claimsOf(limits, step.ask, clock)
      const verdict = judge(standing, claims, clock)
      seen({ standing, claims, verdict, clock, played })
      if (verdict.verdict === 'admit') admit(verdict.granted)
    } else {
      const served = played.open[step.pick % Math.max(1, played.open.length)]
      const part = (whole: number) => Math.floor((whole * step.percent) / 100)
      if (served) end(served, { tokens: part(served.hold.tokens), cost: part(served.hold.cost) })
    }
  }
  return { ...played, standing }
}
