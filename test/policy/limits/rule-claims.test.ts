import { describe, expect, it } from 'vitest'
import type { Config, Plan } from '../../../src/policy/config.ts'
import { decide } from '../../../src/policy/decide.ts'
import type { Facts } from '../../../src/policy/facts.ts'
import { mostOf } from '../../../src/policy/limits/named-rules.ts'
import type { LimitRule } from '../../../src/policy/limits/rule.ts'
import { config, facts, picture } from '../fixture.ts'

const withRules = (rules: readonly LimitRule[], counts: readonly LimitRule[] = []): Config => ({
  ...config,
  plans: new Map(
    [...config.plans].map(([name, plan]): [string, Plan] => [
      name,
      { ...plan, rules: rules.map(rule => ({ rule, at: { file: 'plans.yaml', line: 7, column: 9 } })), counts },
    ]),
  ),
})

/** The counters that a request takes of, and how much of each there may be. */
function claimed(rules: readonly LimitRule[], given: Facts, counts?: readonly LimitRule[]): readonly string[] {
  const decision = decide(withRules(rules, counts), given)
  if ('denial' in decision) throw new Error(JSON.stringify(decision.denial))
  return (decision.claims.rules ?? []).map(({ group, field, rule }) => `${group} ${field} ${rule.most}`)
}

const by = (given: Facts, caller: Partial<Facts['caller']>): Facts => ({
  ...given,
  caller: { ...given.caller, ...caller },
})

describe('the rules that a request claims', () => {
  it('are those of every scope, each by the counter that its scope shares', () => {
    const rules = (['account', 'key', 'user', 'plan', 'org', 'everybody'] as const).map(
      (of): LimitRule => ({ measure: 'requests', per: 'hour', most: 9, of }),
    )
    const given = by(facts({ user: 'digest' }), { key: { id: 'key_1' }, terms: { override: 'free', org: 'acme' } })

    expect(claimed(rules, given)).toEqual([
      'account requests/hour// 9',
      'account requests/hour/key_1/ 9',
      'user:digest requests/hour// 9',
      'plan:free requests/hour// 9',
      'org:acme requests/hour// 9',
      'everybody requests/hour// 9',
    ])
  })

  it('count a model only where they name it, or its tier', () => {
    const rules: readonly LimitRule[] = [
      { measure: 'tokens', per: 'day', most: 900, model: 'svc-core' },
      { measure: 'tokens', per: 'day', most: 800, model: 'tier:standard' },
      { measure: 'tokens', per: 'day', most: 700, model: 'tier:guest' },
      { measure: 'tokens', per: 'day', most: 600 },
    ]

    expect(claimed(rules, facts({ model: 'svc-core' }))).toEqual([
      'account tokens/day//svc-core 900',
      'account tokens/day//tier:guest 700',
      'account tokens/day// 600',
    ])
  })

  it('of a session count it by its id, and those that name none together', () => {
    const rules: readonly LimitRule[] = [{ measure: 'usd', per: 'idle:24h', most: 5_000_000_000, of: 'session' }]

    expect(claimed(rules, facts({ session: 'ses_1' }))).toEqual(['session usd/idle:24h/ses_1/ 5000000000'])
    expect(claimed(rules, facts())).toEqual(['session usd/idle:24h// 5000000000'])
  })

  it('of a label count its value in the organization, or else in the account', () => {
    const rules: readonly LimitRule[] = [{ measure: 'usd', per: 'day', most: 5_000_000_000, of: 'label:project' }]
    const label = {
      name: 'project',
      at: { file: 'a', line: 1, column: 1 },
      fields: {},
      ofKey: true,
      requiredBy: new Set<string>(),
    }
    const labelled = { ...withRules(rules), labels: new Map([['project', label]]) }
    const claimsOf = (given: Facts) => {
      const decision = decide(labelled, given)
      return 'denial' in decision ? decision.denial : decision.claims.rules?.map(({ group }) => group)
    }
    const key = { id: 'key_1', labels: { project: 'web' } }

    expect(claimsOf(by(facts(), { key }))).toEqual(['label:project=web'])
    expect(claimsOf(by(facts(), { key, terms: { override: 'free', org: 'acme' } }))).toEqual([
      'org:acme label:project=web',
    ])
    expect(claimsOf(facts())).toEqual(['label:project='])
  })

  it('of an org belong to no account without one', () => {
    expect(claimed([{ measure: 'requests', per: 'hour', most: 9, of: 'org' }], facts())).toEqual([])
  })

  it('share one counter for requests without an end user, and for sign-ins', () => {
    const rules: readonly LimitRule[] = [
      { measure: 'requests', per: 'hour', most: 9, of: 'user' },
      { measure: 'requests', per: 'hour', most: 9, of: 'key' },
    ]

    expect(claimed(rules, facts())).toEqual(['user: requests/hour// 9', 'account requests/hour/sign-in/ 9'])
  })

  it('of a key and of an org are theirs, where they name no scope', () => {
    const limits: readonly LimitRule[] = [{ measure: 'usd', per: 'day', most: 5_000_000_000 }]
    const given = by(facts(), {
      key: { id: 'key_1', limits },
      terms: { override: 'free', org: 'acme' },
      orgTerms: { limits },
    })

    expect(claimed([], given)).toEqual(['org:acme usd/day// 5000000000', 'account usd/day/key_1/ 5000000000'])
  })

  it('count a request once, and by the lower number, where two name one counter', () => {
    const limits: readonly LimitRule[] = [{ measure: 'requests', per: 'day', most: 5, of: 'everybody' }]
    const given = by(facts(), { key: { id: 'key_1', limits } })

    expect(claimed([{ measure: 'requests', per: 'day', most: 9, of: 'everybody' }], given)).toEqual([
      'everybody requests/day// 5',
    ])
  })

  it('of other plans count, and never refuse', () => {
    const counts: readonly LimitRule[] = [
      { measure: 'requests', per: 'day', most: Number.MAX_SAFE_INTEGER, of: 'everybody' },
    ]

    expect(claimed([], facts(), counts)).toEqual([`everybody requests/day// ${Number.MAX_SAFE_INTEGER}`])
  })

  it('refuse at once what no window is large enough for, at their line', () => {
    const decision = decide(withRules([{ measure: 'images', per: 'day', most: 3 }]), picture({ images: 4 }))

    expect(decision).toEqual({
      denial: {
        code: 'VALIDATION_ERROR',
        field: 'n',
        problem: expect.stringMatching(/needs up to 4 images.*allows 3 images a day/),
      },
      stage: 'rate',
      at: { file: 'plans.yaml', line: 7, column: 9 },
    })
  })
})

describe('limits that an operator set for an account', () => {
  const limited = (limits: readonly LimitRule[]) => {
    const decision = decide(
      withRules([{ measure: 'tokens', per: 'day', most: 900 }]),
      by(facts(), { terms: { override: 'free', limits } }),
    )
    if ('denial' in decision) throw new Error(JSON.stringify(decision.denial))
    return decision.claims
  }

  it('stand in place of the limits of the plan that mean the same', () => {
    const { limits, spend, rules } = limited([
      { measure: 'requests', per: 'minute', most: 600 },
      { measure: 'usd', per: 'month', most: 500_000_000_000 },
      { measure: 'tokens', per: 'day', most: 2_000_000 },
    ])

    expect(mostOf(limits, 'rpm')).toBe(600)
    expect(mostOf(limits, 'tpm')).toBe(40_000)
    expect([spend.allotment, spend.limit]).toEqual([500_000_000_000, 500_000_000_000])
    expect(rules?.map(({ rule }) => rule.most)).toEqual([2_000_000])
  })

  it('stand beside them where the plan has none of the kind', () => {
    const { limits, rules } = limited([
      { measure: 'concurrent', most: 2 },
      { measure: 'requests', per: 'hour', most: 30, model: 'svc-core' },
    ])

    expect(mostOf(limits, 'max_concurrent')).toBe(2)
    expect(rules?.map(({ field }) => field)).toEqual(['tokens/day//', 'requests/hour//svc-core'])
  })
})
