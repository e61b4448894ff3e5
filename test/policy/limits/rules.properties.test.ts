import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Charge, type Hold, holdOf, NO_COUNTERS } from '../../../src/policy/counters/account-counters.ts'
import { extensionOf, judge } from '../../../src/policy/counters/judge.ts'
import {
  extendCell,
  extendedRules,
  heldRules,
  readRules,
  readRulesAgain,
  releaseCell,
  takeCell,
} from '../../../src/policy/counters/rule-hold.ts'
import { amountOf, weightOfCharge } from '../../../src/policy/counters/weight.ts'
import type { Claims, Verdict } from '../../../src/policy/decision.ts'
import type { RuleDenial } from '../../../src/policy/denial.ts'
import { GROWS, type LimitRule, type LimitWindow, MEASURES, type Measure } from '../../../src/policy/limits/rule.ts'
import type { CounterName, RuleClaim, Weight } from '../../../src/policy/limits/rule-claim.ts'
import { cellAt, cellStart, NO_CELLS, type RuleCounter, slides } from '../../../src/policy/limits/rule-counter.ts'
import { nanoUsd } from '../../../src/policy/nano-usd.ts'
import { type Ask, claimsOf, costAt, NOON, WIDE } from '../play.ts'

const WINDOWS: readonly LimitWindow[] = [
  'second',
  'minute',
  'hour',
  'day',
  'week',
  'month',
  'quarter',
  'day@Europe:Berlin',
  '1d',
  '30d',
]

const rule: fc.Arbitrary<LimitRule> = fc
  .record({
    measure: fc.constantFrom(...MEASURES),
    per: fc.constantFrom(...WINDOWS),
    most: fc.integer({ min: 1, max: 2000 }),
  })
  .map(({ measure, per, most }) =>
    measure === 'concurrent' ? { measure, most: 1 + (most % 5) } : { measure, per, most: tight(measure, most) },
  )

/** Requests take one each, images and seconds a few: a limit of thousands would never refuse. */
const tight = (measure: Measure, most: number): number =>
  measure === 'requests' || measure === 'images' || measure === 'seconds' ? 1 + (most % 12) : most

const rules = fc.uniqueArray(rule, { minLength: 1, maxLength: 8, selector: ({ measure, per }) => `${measure}/${per}` })

type Step =
  | { readonly do: 'ask'; readonly ask: Ask; readonly pieces: number }
  | { readonly do: 'end' | 'extend'; readonly pick: number; readonly percent: number; readonly ask: Ask }
  | { readonly do: 'wait'; readonly ms: number }

const ask: fc.Arbitrary<Ask> = fc
  .record({ input: fc.nat(100), min: fc.nat(20), more: fc.nat(100), choices: fc.integer({ min: 1, max: 3 }) })
  .map(({ input, min, more, choices }) => ({ input, min, want: min + more, choices }))

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ do: fc.constant('ask' as const), ask, pieces: fc.nat(4) }) },
    {
      weight: 5,
      arbitrary: fc.record({
        do: fc.constantFrom('end' as const, 'extend' as const),
        pick: fc.nat(99),
        percent: fc.nat(100),
        ask,
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.nat(5000) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.nat(40 * 3_600_000) }) },
  ),
  { minLength: 10, maxLength: 60 },
)

/** A request as those who wrote the rules see it, apart from the counters under test. */
interface Seen {
  hold: Hold
  claims: Claims
  at: number
  /** When its last round began: a window that slides counts all of it as of then. */
  roundAt: number
  /** Its present weight: the maximum while it runs, exact once it ended. */
  charge: Charge
  isOpen: boolean
}

class World {
  now = NOON
  readonly requests: Seen[] = []
  readonly #rules: readonly RuleClaim[]
  readonly #counters = new Map<string, RuleCounter>()

  constructor(rules: readonly LimitRule[]) {
    this.#rules = rules.map(rule => ({ rule, group: 'account', field: `${rule.measure}/${rule.per ?? ''}//` }))
  }

  readonly counterOf = ({ field }: CounterName): RuleCounter => this.#counters.get(field) ?? NO_CELLS

  claims(asked: Ask, pieces: number): Claims {
    const claims = claimsOf(WIDE, asked, NOON)
    return { ...claims, limits: [], rules: this.#rules, pieces: { images: pieces, seconds: pieces } }
  }

  judge(claims: Claims) {
    return judge(NO_COUNTERS, claims, this.now, readRules(claims, this.counterOf, this.now))
  }

  ask(claims: Claims) {
    const verdict = this.judge(claims)
    if ('denial' in verdict) return verdict
    const held = heldRules(claims, verdict.granted, verdict.rules)
    const hold = holdOf(NO_COUNTERS, verdict.granted, { requestId: 'req', account: 'acct', window: 0 }, this.now, held)
    for (const cell of held?.taken ?? [])
      this.#put(cell, takeCell(this.counterOf(cell), cell, hold.rules?.weight ?? none()))
    const { tokens, cost } = verdict.granted
    const charge = { tokens, cost, input: claims.input, ...(claims.pieces && { pieces: claims.pieces }) }
    this.requests.push({ hold, claims, at: this.now, roundAt: this.now, charge, isOpen: true })
    return verdict
  }

  end(request: Seen, percent: number) {
    const { hold, charge } = request
    const spent = part(charge, percent)
    for (const cell of hold.rules?.taken ?? [])
      this.#put(
        cell,
        releaseCell(this.counterOf(cell), cell, hold.rules?.weight ?? none(), weightOfCharge(spent), this.now),
      )
    request.charge = spent
    request.isOpen = false
  }

  extend(request: Seen, percent: number, asked: Ask) {
    const { hold, charge } = request
    const spent = part(charge, percent)
    const claims = { ...this.claims(asked, 0), pieces: request.claims.pieces ?? {} }
    const more = extensionOf(claims)
    const verdict = judge(NO_COUNTERS, more, this.now, readRulesAgain(more, hold, spent, this.counterOf, this.now))
    if ('denial' in verdict) return
    const after = extendedRules(claims, hold, spent, verdict.granted, this.counterOf, this.now)
    if (!after || !hold.rules) return
    for (const [place, moved] of after.taken.entries()) {
      const cell = hold.rules.taken[place] ?? moved
      const weights = [hold.rules.weight, after.weight] as const
      this.#put(cell, extendCell(this.counterOf(cell), [cell, moved], weights, this.now))
    }
    request.hold = { ...hold, rules: after }
    request.roundAt = this.now
    request.charge = {
      ...charge,
      tokens: spent.tokens + verdict.granted.tokens,
      cost: nanoUsd(spent.cost + verdict.granted.cost),
      input: (spent.input ?? 0) + claims.input,
    }
  }

  /** Whether a rule has no room for a request; `slack` makes its window longer. */
  isFull(rule: LimitRule, weight: Weight, slack = 0): boolean {
    return this.used(rule, startOf(rule, this.now) - slack) + amountOf(rule.measure, weight) > rule.most
  }

  /** The weight of the requests in a window: those admitted in it, and running ones. */
  used({ measure, per }: LimitRule, from: number): number {
    const counted = this.requests.filter(({ at, roundAt, isOpen }) =>
      per === undefined ? isOpen : (slides(per) && GROWS[measure] ? roundAt : at) >= from,
    )
    return counted.reduce((sum, { charge }) => sum + amountOf(measure, weightOfCharge(charge)), 0)
  }

  #put({ field }: CounterName, counter: RuleCounter): void {
    this.#counters.set(field, counter)
  }
}

const none = () => weightOfCharge({ tokens: 0, cost: nanoUsd(0) })

/** The used part of a request's hold: input comes before output. */
function part({ tokens, input = tokens, pieces }: Charge, percent: number): Charge {
  const used = (amount: number) => Math.floor((amount * percent) / 100)
  const [prompt, output] = [used(input), used(tokens - input)]
  const made = { images: used(pieces?.images ?? 0), seconds: used(pieces?.seconds ?? 0) }
  return { tokens: prompt + output, cost: nanoUsd(costAt(prompt, output)), input: prompt, pieces: made }
}

/** The start of the window that a rule counts at a moment; where it slides, of its exact length. */
function startOf({ per }: LimitRule, now: number): number {
  if (per === undefined) return 0
  if (!slides(per)) return cellStart(per, cellAt(per, now))
  return now - (per === 'minute' ? 60_000 : Number.parseInt(per, 10) * 86_400_000) + 1
}

function play(world: World, step: Step): void {
  if (step.do === 'wait') world.now += step.ms
  else if (step.do === 'ask') world.ask(world.claims(step.ask, step.pieces))
  else {
    const open = world.requests.filter(({ isOpen }) => isOpen)
    const picked = open[step.pick % Math.max(1, open.length)]
    if (picked && step.do === 'end') world.end(picked, step.percent)
    else if (picked) world.extend(picked, step.percent, step.ask)
  }
}

describe('rules of any measure and window', () => {
  it('are kept in every window, whatever is asked, extended and ended', () => {
    fc.assert(
      fc.property(rules, steps, (table, played) => {
        const world = new World(table)
        for (const step of played) {
          play(world, step)
          for (const rule of table)
            expect(world.used(rule, startOf(rule, world.now)), JSON.stringify(rule)).toBeLessThanOrEqual(rule.most)
        }
      }),
      { numRuns: 400 },
    )
  })

  it('refuse a request only where one of them has no room for it, and admit it once that has', () => {
    fc.assert(
      fc.property(rules, steps, ask, fc.nat(4), (table, played, asked, pieces) => {
        const world = new World(table)
        for (const step of played) play(world, step)
        const claims = world.claims(asked, pieces)
        const least = leastOf(asked, pieces)
        // A request that no window is large enough for never comes to be judged.
        fc.pre(table.every(({ measure, most }) => amountOf(measure, least) <= most))

        const denial = ruleDenialOf(world.judge(claims))
        if (denial) {
          expect(world.isFull(denial.rule, least, cellOf(denial.rule))).toBe(true)
          expectRoom(world, claims, denial)
        } else expect(table.filter(rule => world.isFull(rule, least))).toEqual([])
      }),
      { numRuns: 400 },
    )
  })
})

const leastOf = ({ input, min, choices }: Ask, pieces: number): Weight =>
  weightOfCharge({
    tokens: input + min * choices,
    cost: nanoUsd(costAt(input, min * choices)),
    input,
    pieces: { images: pieces, seconds: pieces },
  })

function ruleDenialOf(verdict: Verdict): RuleDenial | undefined {
  if (!('denial' in verdict)) return undefined
  if (!('rule' in verdict.denial)) throw new Error(`${JSON.stringify(verdict.denial)} is of no rule`)
  return verdict.denial
}

/** After its wait, or once all that runs has ended, no rule refuses for the same reason. */
function expectRoom(world: World, claims: Claims, { isHeld, retryAfterMs }: RuleDenial): void {
  if (isHeld) for (const request of world.requests) if (request.isOpen) world.end(request, 0)
  if (!isHeld) world.now += retryAfterMs
  const later = ruleDenialOf(world.judge(claims))
  if (later) expect(later.isHeld).not.toBe(isHeld)
}

/** How much longer than a window that slides its cells may count. */
const cellOf = ({ per }: LimitRule): number => (per !== undefined && slides(per) ? cellStart(per, 1) : 0)
