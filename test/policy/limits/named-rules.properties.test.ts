import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type AccountCounters, calendarOf } from '../../../src/policy/counters/account-counters.ts'
import { judge } from '../../../src/policy/counters/judge.ts'
import { usesOfClaims } from '../../../src/policy/counters/limit-use.ts'
import { isHeld } from '../../../src/policy/counters/refusal.ts'
import type { Claims, Verdict } from '../../../src/policy/decision.ts'
import { COUNT_RULES, type CountName, limitsOf, namedRule, nameOfRule } from '../../../src/policy/limits/named-rules.ts'
import type { LimitRule } from '../../../src/policy/limits/rule.ts'
import { type RuleCounter, readRule } from '../../../src/policy/limits/rule-counter.ts'
import { allowedText } from '../../../src/policy/limits/text.ts'
import { nanoUsd } from '../../../src/policy/nano-usd.ts'
import { limited } from '../../../src/wire/errors/texts.ts'
import { ASK, claimsOf, NOON, WIDE } from '../play.ts'

const SECOND = NOON / 1000

interface Used {
  readonly minute: readonly { readonly ago: number; readonly requests: number; readonly tokens: number }[]
  readonly day: number
  readonly running: number
}

const used: fc.Arbitrary<Used> = fc.record({
  minute: fc.uniqueArray(fc.record({ ago: fc.nat(60), requests: fc.nat(5), tokens: fc.nat(300) }), {
    selector: ({ ago }) => ago,
    maxLength: 8,
  }),
  day: fc.nat(40),
  running: fc.nat(6),
})

/** The record of an account, in which named rules are counted. */
function recordOf({ minute, day, running }: Used): AccountCounters {
  const buckets = minute.map(({ ago, requests, tokens }) => ({ second: SECOND - ago, requests, tokens }))
  return {
    minute: buckets.sort((a, b) => a.second - b.second),
    calendar: calendarOf({ day }, SECOND),
    concurrent: running,
    spend: {},
  }
}

/** The counter that a rule would have without its name. */
function counterOf({ per, measure }: LimitRule, { minute, day, running }: Used): RuleCounter {
  if (per === undefined) return [{ index: 0, used: 0, held: running }]
  if (per === 'day') return [{ index: Math.floor(SECOND / 86_400), used: day, held: 0 }]
  return recordOf({ minute, day, running }).minute.map(({ second, requests, tokens }) => ({
    index: second,
    used: measure === 'tokens' ? tokens : requests,
    held: 0,
  }))
}

const withoutName = (name: CountName, most: number): LimitRule => {
  const { name: _, ...rule } = namedRule(name, most)
  return rule
}

it.each(COUNT_RULES.map(({ name }) => name))(
  '%s is judged, waits, is counted and is explained as the same rule without its name',
  name => {
    fc.assert(
      fc.property(used, fc.integer({ min: 1, max: 400 }), fc.nat(999), (spent, most, millis) => {
        const now = NOON + millis
        const rule = withoutName(name, most)
        const claims: Claims = { ...claimsOf(WIDE, { ...ASK, want: 300 }, now), limits: [] }
        const named = { ...claims, limits: limitsOf({ [name]: most }) }
        const unnamed = { ...claims, rules: [{ group: 'account', field: `${rule.measure}/${rule.per ?? ''}//`, rule }] }
        const reading = readRule(counterOf(rule, spent), rule.per, now)
        const counters = recordOf(spent)

        const [one, other] = [judge(counters, named, now), judge(counters, unnamed, now, [reading])]

        expect(said(one)).toEqual(said(other))
        const newest = counters.minute.at(-1)?.second ?? 0
        const read = { at: now, readings: one.readings, newest }
        const [shown] = usesOfClaims({ ...named, spend: unlimited(claims) }, read)
        const [same] = usesOfClaims({ ...unnamed, spend: unlimited(claims) }, { ...read, rules: [reading] })
        // The record has the sums of the minute and its newest second, which may count nothing of this rule.
        expect({ ...shown?.count, resetAt: 0 }).toEqual({ ...same?.count, resetAt: 0 })
        expect(allowedText(namedRule(name, most))).toBe(allowedText(rule))
        expect(nameOfRule(rule)).toBe(name)
      }),
    )
  },
)

it('a quota that running requests hold is said in the words of the same rule without its name', () => {
  const claims = claimsOf({ ...WIDE, monthly: 100 }, ASK, NOON)
  const { limit: _, ...spend } = claims.spend
  const { name: _name, ...rule } = namedRule('monthly_usd', 100)
  const counters = { ...recordOf({ minute: [], day: 0, running: 1 }) }
  const held = { ...counters, spend: { [claims.spend.window.start]: { used: nanoUsd(10), held: nanoUsd(80) } } }
  const counter = [{ index: 2025 * 12 + 5, used: 10, held: 80 }]

  const named = judge(held, claims, NOON)
  const unnamed = judge(
    counters,
    { ...claims, spend, rules: [{ group: 'account', field: 'usd/month//', rule }] },
    NOON,
    [readRule(counter, 'month', NOON)],
  )

  expect(named).toMatchObject({ denial: { type: 'quota_hold', limit: 100 } })
  expect(said(named)).toEqual(said(unnamed))
})

const unlimited = ({ spend: { limit: _, ...spend } }: Claims): Claims['spend'] => spend

/** A verdict without the two things by which it names a rule: its type, and the rule itself. */
function said(verdict: Verdict): object {
  if ('granted' in verdict) return verdict.granted
  const { denial } = verdict
  if (denial.code !== 'rate_limit_exceeded') return denial
  const { error } = limited(denial, '').body
  const message = typeof error === 'string' ? error : error.message
  return { limit: denial.limit, retryAfterMs: denial.retryAfterMs, isHeld: isHeld(denial), message }
}
