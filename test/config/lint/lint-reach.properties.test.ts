import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isNeverReached } from '../../../src/config/lint/reach.ts'
import {
  type Hold,
  holdOf,
  NO_COUNTERS,
  NOTHING,
  release,
  take,
} from '../../../src/policy/counters/account-counters.ts'
import { judge } from '../../../src/policy/counters/judge.ts'
import { heldRules, readRules, releaseCell, takeCell } from '../../../src/policy/counters/rule-hold.ts'
import { weightOfCharge } from '../../../src/policy/counters/weight.ts'
import { type Claims, type Verdict, windowOf } from '../../../src/policy/decision.ts'
import { limitsOf } from '../../../src/policy/limits/named-rules.ts'
import { countedBy, LIMIT_SCOPES, type LimitRule, MEASURES } from '../../../src/policy/limits/rule.ts'
import { type CounterName, claimsOfRules } from '../../../src/policy/limits/rule-claim.ts'
import { NO_CELLS, type RuleCounter } from '../../../src/policy/limits/rule-counter.ts'
import { nanoUsd } from '../../../src/policy/nano-usd.ts'
import { times } from '../../support/times.ts'

const MODELS = [
  { name: 'core', tier: 'guest' },
  { name: 'pro', tier: 'paid' },
]
const tierOf = (model: string) => MODELS.find(({ name }) => name === model)?.tier

const WINDOWS = ['second', 'minute', 'hour', 'day', 'week', 'month', 'quarter', '1d', '2d', '7d', '30d', '31d'] as const

const limit = fc
  .record({
    measure: fc.constantFrom(...MEASURES),
    most: fc.oneof(fc.integer({ min: 1, max: 6 }), fc.constantFrom(24, 48, 60, 61, 62, 120, 1440, 10_080)),
    per: fc.constantFrom(...WINDOWS),
    of: fc.constantFrom(undefined, ...LIMIT_SCOPES),
    model: fc.constantFrom(undefined, undefined, 'core', 'tier:guest', 'tier:paid'),
  })
  .map(
    ({ measure, most, per, of, model }): LimitRule => ({
      measure,
      most,
      ...(measure !== 'concurrent' && { per }),
      ...(of !== undefined && { of }),
      ...(model !== undefined && { model }),
    }),
  )

/** Limits of one measure, mostly, since others seldom meet; each counts something else, as in a plan. */
const limits = fc
  .tuple(fc.constantFrom(...MEASURES), fc.array(limit, { minLength: 2, maxLength: 5 }))
  .map(([measure, rules]) => {
    const alike = rules.map(rule => (rule.per !== undefined && measure !== 'concurrent' ? { ...rule, measure } : rule))
    return [...new Map([...alike.slice(0, 4), ...rules.slice(4)].map(rule => [countedBy(rule), rule])).values()]
  })

const request = fc.record({
  wait: fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(0, 0, 500, 1000) },
    { weight: 2, arbitrary: fc.constantFrom(59_000, 61_000, 3_600_000, 86_400_000) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 100 * 86_400_000 }) },
  ),
  key: fc.constantFrom('a', 'b'),
  user: fc.constantFrom('', 'u'),
  model: fc.constantFrom(...MODELS),
  input: fc.integer({ min: 0, max: 2 }),
  output: fc.integer({ min: 1, max: 3 }),
  pieces: fc.integer({ min: 1, max: 2 }),
  /** How many of those that run end before it. */
  ends: fc.integer({ min: 0, max: 2 }),
  share: fc.integer({ min: 0, max: 2 }),
})

const PRICE = { input: nanoUsd(1000), output: nanoUsd(1000), item: nanoUsd(0) }

type Request = typeof request extends fc.Arbitrary<infer T> ? T : never

/** An account and the counters of its rules, through requests that are admitted, run and end. */
class Play {
  #at = Date.UTC(2026, 9, 31, 23, 59, 58)
  #account = NO_COUNTERS
  readonly #counters = new Map<string, RuleCounter>()
  readonly #running: Hold[] = []

  readonly #ofRule = (name: CounterName): RuleCounter => this.#counters.get(id(name)) ?? NO_CELLS

  pass(wait: number): void {
    this.#at += wait
  }

  /** The oldest of those that run ends, at a part of what it holds. */
  end(share: number): void {
    const hold = this.#running.shift()
    if (!hold) return
    const part = (held: number) => (share === 0 ? 0 : Math.floor(held / share))
    const weight = hold.rules?.weight ?? NO_WEIGHT
    const input = part(weight.input)
    const charge = {
      tokens: input + part(weight.output),
      cost: nanoUsd(part(hold.cost)),
      input,
      pieces: { images: part(1), seconds: part(1) },
    }
    this.#account = release(this.#account, hold, charge, this.#at)
    for (const taken of hold.rules?.taken ?? [])
      this.#counters.set(id(taken), releaseCell(this.#ofRule(taken), taken, weight, weightOfCharge(charge), this.#at))
  }

  claims(rules: readonly LimitRule[], { key, user, model, input, output, pieces }: Request): Claims {
    const caller = { key: { id: key }, terms: { org: 'o' } }
    return {
      limits: limitsOf({ rpm: 7, tpm: 40 }),
      rules: claimsOfRules(rules, caller, { plan: 'p', model, user }),
      input,
      output: { want: output, min: 1, choices: 1 },
      spend: { allotment: nanoUsd(0), overageEnabled: true, window: windowOf(this.#at), price: PRICE, items: 0 },
      pieces: { images: pieces, seconds: pieces },
    }
  }

  judge(claims: Claims): Verdict {
    return judge(this.#account, claims, this.#at, readRules(claims, this.#ofRule, this.#at))
  }

  take(claims: Claims, { granted, rules }: Extract<Verdict, { granted: unknown }>): void {
    const held = heldRules(claims, granted, rules)
    const request = { requestId: 'r', account: 'a', window: windowOf(this.#at).start }
    const hold = holdOf(this.#account, granted, request, this.#at, held)
    this.#account = take(this.#account, hold)
    for (const taken of held?.taken ?? [])
      this.#counters.set(id(taken), takeCell(this.#ofRule(taken), taken, held?.weight ?? NO_WEIGHT))
    this.#running.push(hold)
  }
}

const id = ({ group, field }: CounterName): string => `${group} ${field}`
const NO_WEIGHT = weightOfCharge(NOTHING)

const grantOf = (verdict: Verdict) => ('granted' in verdict ? verdict.granted : 'refused')

test('without a limit that is never reached, every request is admitted or refused as with it, and granted as much', () => {
  const short: readonly LimitRule[] = [
    { measure: 'requests', most: 7, per: 'minute' },
    { measure: 'tokens', most: 40, per: 'minute' },
  ]
  let [unreachable, refused] = [0, 0]
  fc.assert(
    fc.property(limits, fc.array(request, { minLength: 20, maxLength: 120 }), (rules, requests) => {
      const reached = rules.filter(
        rule => ![...rules, ...short].some(other => other !== rule && isNeverReached(rule, other, tierOf)),
      )
      if (reached.length === rules.length) return
      unreachable++
      const play = new Play()
      for (const each of requests) {
        play.pass(each.wait)
        for (let n = 0; n < each.ends; n++) play.end(each.share)
        const claims = play.claims(rules, each)
        const verdict = play.judge(claims)
        const fewer = play.judge({
          ...claims,
          rules: (claims.rules ?? []).filter(({ rule }) => reached.includes(rule)),
        })
        expect(grantOf(fewer)).toEqual(grantOf(verdict))
        if ('granted' in verdict) play.take(claims, verdict)
        else refused++
      }
    }),
    { numRuns: times(6000) },
  )
  expect(unreachable).toBeGreaterThan(20)
  expect(refused).toBeGreaterThan(100)
})
