import fc from 'fast-check'
import {
  type AccountCounters,
  type Charge,
  extend,
  type Hold,
  holdOf,
  NO_COUNTERS,
  release,
  take,
} from '../../src/policy/counters/account-counters.ts'
import { judge, judgeExtension } from '../../src/policy/counters/judge.ts'
import { type Claims, type Verdict, windowOf } from '../../src/policy/decision.ts'
import { limitsOf } from '../../src/policy/limits/named-rules.ts'
import { nanoUsd, ZERO_USD } from '../../src/policy/nano-usd.ts'
import { costOf } from '../../src/policy/price.ts'

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

/** The wishes of a request. */
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

const price = { input: nanoUsd(1000), output: nanoUsd(2000) }

/** Claims at 1 nano-USD a token in and 2 a token out. */
export const claimsOf = (limits: Limits, { input, want, min, choices }: Ask, at: number): Claims => ({
  limits: limitsOf({ ...limits, per_day: limits.perDay, max_concurrent: limits.maxConcurrent }),
  input,
  spend: {
    limit: nanoUsd(limits.monthly),
    allotment: nanoUsd(limits.monthly),
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
  | { readonly do: 'extend'; readonly pick: number; readonly percent: number; readonly ask: Ask }
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
        weight: 2,
        arbitrary: fc.record({ do: fc.constant('extend' as const), pick: fc.nat(99), percent: fc.nat(100), ask }),
      },
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

/** One call of a model for an admitted request. */
export interface Round {
  /** True time. */
  readonly at: number
  /** The bucket it was counted in. */
  readonly second: number
  /** Its present weight. */
  tokens: number
}

/** One admitted request as a client sees it. */
export interface Served {
  hold: Hold
  readonly rounds: [Round, ...Round[]]
}

export interface Asked {
  readonly standing: AccountCounters
  readonly claims: Claims
  readonly verdict: Verdict
  /** The time that the clock showed. */
  readonly clock: number
  readonly played: Played
}

/** Another round that was asked for a running request. */
export interface AskedMore extends Asked {
  readonly served: Served
  /** The weight of earlier rounds. */
  readonly spent: Charge
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

/** Observers of a verdict before it takes effect. */
interface Eyes {
  readonly seen?: (asked: Asked) => void
  readonly seenMore?: (asked: AskedMore) => void
}

/** Plays steps against judge, take, extend and release. */
export function play(limits: Limits, steps: readonly Step[], eyes: Eyes): Played & { standing: AccountCounters } {
  const game = new Game(limits, eyes)
  for (const step of steps) game.do(step)
  return { ...game.played, standing: game.standing }
}

class Game {
  readonly played: Played = { now: NOON, served: [], open: [], used: ZERO_USD }
  standing: AccountCounters = NO_COUNTERS
  readonly #limits: Limits
  readonly #eyes: Eyes
  #clock = NOON

  constructor(limits: Limits, eyes: Eyes) {
    this.#limits = limits
    this.#eyes = eyes
  }

  do(step: Step): void {
    if (step.do === 'wait') this.#wait(step.ms)
    else if (step.do === 'ask') this.#ask(step.ask)
    else {
      const { open } = this.played
      const served = open[step.pick % Math.max(1, open.length)]
      if (!served) return
      const charge = partOf(served.hold, step.percent)
      if (step.do === 'end') this.#end(served, charge)
      else this.#askMore(served, charge, step.ask)
    }
  }

  #wait(ms: number): void {
    this.played.now += Math.max(0, ms)
    this.#clock = Math.max(this.#clock + ms, this.played.now - LAG_MAX)
  }

  #ask(ask: Ask): void {
    const { played, standing } = this
    const clock = this.#clock
    const claims = claimsOf(this.#limits, ask, clock)
    const verdict = judge(standing, claims, clock)
    this.#eyes.seen?.({ standing, claims, verdict, clock, played })
    if ('denial' in verdict) return
    const names = { requestId: `req_${played.served.length}`, account: 'acct_a', window: windowOf(clock).start }
    const hold = holdOf(standing, verdict.granted, names, clock)
    const served: Served = { hold, rounds: [{ at: played.now, second: hold.second, tokens: hold.tokens }] }
    played.served.push(served)
    played.open.push(served)
    this.standing = take(standing, hold)
  }

  #askMore(served: Served, spent: Charge, ask: Ask): void {
    const { played, standing } = this
    const clock = this.#clock
    const claims = claimsOf(this.#limits, ask, clock)
    const verdict = judgeExtension(standing, served.hold, spent, claims, clock)
    this.#eyes.seenMore?.({ standing, claims, verdict, clock, played, served, spent })
    if ('denial' in verdict) return
    weigh(served, spent)
    const extended = extend(standing, served.hold, spent, verdict.granted, clock)
    this.standing = extended.counters
    served.hold = extended.hold
    served.rounds.push({ at: played.now, second: served.hold.second, tokens: served.hold.tokens })
  }

  #end(served: Served, charge: Charge): void {
    const { open } = this.played
    open.splice(open.indexOf(served), 1)
    this.played.used += charge.cost
    weigh(served, charge)
    this.standing = release(this.standing, served.hold, charge, this.#clock)
  }
}

/** A request's weight beyond its earlier rounds belongs to the last one. */
function weigh({ rounds, hold }: Served, charge: Charge): void {
  const last = rounds.at(-1)
  if (last) last.tokens = charge.tokens - hold.spent.tokens
}

/** All that the earlier rounds spent, and a part of what is held for the present one. */
function partOf({ tokens, cost, spent }: Hold, percent: number): Charge {
  const part = (whole: number) => Math.floor((whole * percent) / 100)
  return { tokens: spent.tokens + part(tokens), cost: nanoUsd(spent.cost + part(cost)) }
}
