import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CanaryRules } from '../../../src/policy/config.ts'
import {
  type CanaryCounts,
  figuresOf,
  judgeCanary,
  noCounts,
  type PoolOutcome,
  type Side,
  withOutcome,
} from '../../../src/policy/traffic/canary.ts'

const rulesOf = (rules: Partial<CanaryRules>): CanaryRules => ({ against: 'onprem', after: 40, ...rules })
const isError = (each: boolean): PoolOutcome => ({ isError: each })
const add = (counts: CanaryCounts, side: Side, outcomes: readonly PoolOutcome[]) =>
  outcomes.reduce((before, outcome) => withOutcome(before, side, outcome), counts)
const times = <T>(count: number, one: T): readonly T[] => Array.from({ length: count }, () => one)

const after = fc.integer({ min: 20, max: 300 })
const outcomes = fc.array(fc.record({ isError: fc.boolean(), firstTokenMs: fc.integer({ min: 1, max: 60_000 }) }), {
  maxLength: 900,
})

describe('a canary', () => {
  it('is never stopped before each side had `after` requests', () => {
    fc.assert(
      fc.property(after, fc.nat(300), fc.nat(300), (after, ofCanary, ofControl) => {
        fc.pre(ofCanary < after || ofControl < after)
        const rules = rulesOf({ errorsOver: 0, after })
        const counts = add(noCounts(rules), 'control', times(ofControl, isError(false)))
        expect(judgeCanary(rules, add(counts, 'canary', times(ofCanary, isError(true))))).toBeUndefined()
      }),
      { numRuns: 40 },
    )
  })

  it('that worsens after any time of good service is stopped within `after` requests', () => {
    fc.assert(
      fc.property(after, fc.nat(900), fc.integer({ min: 0, max: 500_000 }), (after, good, errorsOver) => {
        const rules = rulesOf({ errorsOver, after })
        const control = add(noCounts(rules), 'control', times(after, isError(false)))
        const before = add(control, 'canary', times(good, isError(false)))
        expect(judgeCanary(rules, before)).toBeUndefined()
        expect(judgeCanary(rules, add(before, 'canary', times(after, isError(true))))).toBe('errors_over')
      }),
      { numRuns: 40 },
    )
  })

  it('is judged by its newest requests: at most `after`, and at most a twentieth fewer', () => {
    fc.assert(
      fc.property(after, outcomes, (after, all) => {
        const counts = add(noCounts({ against: 'onprem', after }), 'canary', all)
        const { requests, errors } = figuresOf(counts.canary)
        expect(requests).toBeLessThanOrEqual(after)
        expect(requests).toBeGreaterThanOrEqual(Math.min(all.length, after - Math.ceil(after / 20)))
        expect(errors).toBe(all.slice(all.length - requests).filter(each => each.isError).length)
      }),
      { numRuns: 40 },
    )
  })

  it('that fails as often as the pool beside it runs on, however often that is', () => {
    fc.assert(
      fc.property(outcomes, all => {
        const rules = rulesOf({ errorsOver: 0, firstTokenP95Over: 1_000_000 })
        const counts = add(add(noCounts(rules), 'control', all), 'canary', all)
        expect(judgeCanary(rules, counts)).toBeUndefined()
      }),
      { numRuns: 40 },
    )
  })

  it.each([
    ['1.4 times as slow', 1400, undefined],
    ['1.7 times as slow', 1700, 'first_token_p95_over'],
  ])('whose first tokens are %s as those beside it is stopped at 1.5x: %s', (_name, slow, expected) => {
    const rules = rulesOf({ firstTokenP95Over: 1_500_000 })
    const of = (firstTokenMs: number) => times(40, { isError: false, firstTokenMs })
    expect(judgeCanary(rules, add(add(noCounts(rules), 'control', of(1000)), 'canary', of(slow)))).toBe(expected)
  })

  it('knows the p95 of first tokens to 5 %', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 2, max: 60_000 }), { minLength: 1, maxLength: 100 }), waits => {
        const sorted = [...waits].sort((a, b) => a - b)
        const exact = sorted[Math.ceil(waits.length * 0.95) - 1] ?? 0
        const all = waits.map(firstTokenMs => ({ isError: false, firstTokenMs }))
        const p95 = figuresOf(add(noCounts({ against: 'onprem', after: 100 }), 'canary', all).canary).firstTokenP95Ms
        expect(p95).toBeGreaterThanOrEqual(exact - 1)
        expect(p95).toBeLessThanOrEqual(exact * 1.05 + 1)
      }),
      { numRuns: 40 },
    )
  })
})
