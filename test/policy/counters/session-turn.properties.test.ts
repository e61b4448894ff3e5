import fc from 'fast-check'
import { expect, it } from 'vitest'
import { holdOf, NO_COUNTERS } from '../../../src/policy/counters/account-counters.ts'
import { judge } from '../../../src/policy/counters/judge.ts'
import { heldRules, readRules, releaseCell, takeCell } from '../../../src/policy/counters/rule-hold.ts'
import { lastTurns } from '../../../src/policy/counters/session-turn.ts'
import { weightOfCharge } from '../../../src/policy/counters/weight.ts'
import type { Claims } from '../../../src/policy/decision.ts'
import type { LimitRule } from '../../../src/policy/limits/rule.ts'
import type { TakenCell, Weight } from '../../../src/policy/limits/rule-claim.ts'
import { NO_CELLS, type RuleCounter } from '../../../src/policy/limits/rule-counter.ts'
import { nanoUsd } from '../../../src/policy/nano-usd.ts'
import { type Ask, claimsOf, costAt, NOON, WIDE } from '../play.ts'

const asked: fc.Arbitrary<Ask> = fc
  .record({
    input: fc.nat(100),
    min: fc.integer({ min: 1, max: 60 }),
    more: fc.nat(60),
    choices: fc.constantFrom(1, 2),
  })
  .map(({ input, min, more, choices }) => ({ input, min, want: min + more, choices }))

/** A request that asks, or one of those that run and ends at a percentage of what it holds. */
type Step = { readonly ask: Ask } | { readonly pick: number; readonly percent: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ ask: asked }) },
  { weight: 2, arbitrary: fc.record({ pick: fc.nat(), percent: fc.nat(100) }) },
)

/** One session, and the requests of it that run. */
class Session {
  counter: RuleCounter = NO_CELLS
  /** Last turns that run, or were charged. */
  lastTurns = 0
  readonly #rule: LimitRule
  readonly #running: { readonly taken: TakenCell; readonly weight: Weight; readonly isLast: boolean }[] = []

  constructor(rule: LimitRule) {
    this.#rule = rule
  }

  ask(ask: Ask): void {
    const claim = { rule: this.#rule, group: 'session', field: `${this.#rule.measure}/idle:24h/one/` }
    const claims: Claims = { ...claimsOf(WIDE, ask, NOON), limits: [], rules: [claim] }
    const verdict = judge(
      NO_COUNTERS,
      claims,
      NOON,
      readRules(claims, () => this.counter, NOON),
    )
    if (this.lastTurns > 0) expect(verdict).toMatchObject({ denial: { type: 'session_limit' } })
    if ('denial' in verdict) return
    const isLast = lastTurns(claims, verdict.rules).length > 0
    if (isLast) {
      this.lastTurns++
      const bound = Math.max(1, Math.floor((this.#rule.lastTurn ?? 0) / ask.choices))
      expect(verdict.granted.output).toBeLessThanOrEqual(bound)
    }
    const held = heldRules(claims, verdict.granted, verdict.rules)
    const { rules } = holdOf(NO_COUNTERS, verdict.granted, { requestId: 'r', account: 'a', window: 0 }, NOON, held)
    for (const taken of rules?.taken ?? []) this.#take(taken, isLast, rules?.weight)
  }

  #take(taken: TakenCell, isLast: boolean, weight: Weight = weightOfCharge({ tokens: 0, cost: nanoUsd(0) })): void {
    this.counter = takeCell(this.counter, taken, weight)
    this.#running.push({ taken, weight, isLast })
  }

  end(pick: number, percent: number): void {
    const [ended] = this.#running.splice(pick % Math.max(1, this.#running.length), 1)
    if (!ended) return
    const part = (amount: number) => Math.floor((amount * percent) / 100)
    const [input, output] = [part(ended.weight.input), part(ended.weight.output)]
    const spent = weightOfCharge({ tokens: input + output, input, cost: nanoUsd(costAt(input, output)) })
    if (ended.isLast && input + output === 0) this.lastTurns--
    this.counter = releaseCell(this.counter, ended.taken, ended.weight, spent, NOON)
  }
}

it('the last turn is granted until one is charged, bounded, within the limit, and nothing beside or after it', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('usd', 'tokens', 'output_tokens', 'requests'),
      fc.integer({ min: 1, max: 50 }),
      fc.array(step, { maxLength: 60, size: 'max' }),
      (measure, lastTurn, steps) => {
        const most = measure === 'requests' ? 8 : 1200
        const session = new Session({ measure, most, per: 'idle:24h', of: 'session', lastTurn })
        for (const step of steps) {
          if ('ask' in step) session.ask(step.ask)
          else session.end(step.pick, step.percent)
          const [cell] = session.counter
          expect((cell?.used ?? 0) + (cell?.held ?? 0)).toBeLessThanOrEqual(most)
          expect(session.lastTurns).toBeLessThanOrEqual(1)
        }
      },
    ),
    { numRuns: 300 },
  )
})
