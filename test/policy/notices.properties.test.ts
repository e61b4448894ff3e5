import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Claims } from '../../src/policy/decision.ts'
import type { NoticeRule } from '../../src/policy/limits/notice-rule.ts'
import type { LimitRule } from '../../src/policy/limits/rule.ts'
import { claimsOfRules } from '../../src/policy/limits/rule-claim.ts'
import { nanoUsd, ZERO_USD } from '../../src/policy/nano-usd.ts'
import { crossedBy, targetsOf, watchesOf } from '../../src/policy/notices.ts'

const START = Date.UTC(2026, 10, 1)
const END = Date.UTC(2026, 11, 1)

const claimsWith = (most: Partial<Claims>, rules: readonly LimitRule[] = []): Claims => ({
  limits: [],
  input: 1,
  spend: {
    allotment: nanoUsd(1000),
    overageEnabled: false,
    window: { start: START, end: END },
    price: { input: ZERO_USD, output: ZERO_USD },
    items: 0,
  },
  output: { want: 1, min: 1, choices: 1 },
  rules: claimsOfRules(
    rules,
    { key: { id: 'key_1' }, terms: { org: 'acme' } },
    { plan: 'pro', model: { name: 'm', tier: 'basic' }, user: 'ada' },
  ),
  ...most,
})

const watch = (claims: Claims, notices: readonly NoticeRule[]) =>
  watchesOf({
    notices,
    claims,
    hold: {
      ...{ account: 'acct_1', at: START, second: START / 1000, round: 0, window: START },
      rules: {
        weight: { input: 0, output: 0, images: 0, seconds: 0, cost: 0 },
        taken: (claims.rules ?? []).map(({ group, field }) => ({ group, field, cell: 2026 * 12 + 10 })),
      },
    },
  }) ?? []

const percents = fc.uniqueArray(fc.integer({ min: 1, max: 1000 }), { minLength: 1, maxLength: 6 })

describe('thresholds of notices', () => {
  it('each that is reached is announced exactly once, whatever the limit and the steps', () => {
    fc.assert(
      fc.property(
        percents,
        fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
        fc.array(fc.double({ min: 0, max: 0.4, noNaN: true }), { maxLength: 20 }),
        (at, most, steps) => {
          const sorted = [...at].sort((a, b) => a - b)
          const notices = [{ at: sorted, of: ['account'], to: ['ops'] }] as const
          const claims = claimsWith({ spend: { ...claimsWith({}).spend, allotment: nanoUsd(most) } })
          const [quota] = watch(claims, notices)
          if (!quota) throw new Error('the quota is watched')
          let [used, announced] = [0, 0]
          const seen: number[] = []
          for (const step of steps) {
            used = Math.min(Number.MAX_SAFE_INTEGER, used + Math.floor(step * most))
            const percent = crossedBy(quota, used, announced)
            if (percent === undefined) continue
            seen.push(...sorted.filter(each => each > announced && each <= percent))
            announced = percent
          }
          const reached = sorted.filter(percent => BigInt(used) * 100n >= BigInt(most) * BigInt(percent))
          expect(seen).toEqual(reached)
        },
      ),
    )
  })

  it('a target hears of its own thresholds alone, each once, also where others have more', () => {
    fc.assert(
      fc.property(
        percents,
        percents,
        fc.array(fc.integer({ min: 0, max: 300 }), { maxLength: 12 }),
        (one, two, steps) => {
          const [own, others] = [one, two].map(each => [...each].sort((a, b) => a - b)) as [number[], number[]]
          const notices: readonly NoticeRule[] = [
            { at: own, of: ['account'], to: ['a'] },
            { at: others, of: ['account'], to: ['b'] },
          ]
          const [quota] = watch(claimsWith({}), notices)
          if (!quota) throw new Error('the quota is watched')
          let [used, above] = [0, 0]
          const heard: number[] = []
          for (const step of steps) {
            used += step
            const percent = crossedBy(quota, used, above)
            if (percent === undefined) continue
            const reached = targetsOf(notices, { about: quota.about, percent, above }).get('a')
            if (reached !== undefined) heard.push(reached)
            above = percent
          }
          expect(new Set(heard).size).toBe(heard.length)
          expect(heard.every(each => own.includes(each))).toBe(true)
          expect(heard.at(-1)).toBe(own.findLast(each => each * 10 <= used))
        },
      ),
    )
  })

  it('windows that slide, seconds and running requests are not announced, and each scope has its owner', () => {
    const all: readonly NoticeRule[] = [
      { at: [80], of: ['account', 'key', 'user', 'plan', 'org', 'everybody'], to: ['ops'] },
    ]
    const rules: readonly LimitRule[] = [
      { measure: 'tokens', most: 9, per: 'minute' },
      { measure: 'tokens', most: 9, per: '30d' },
      { measure: 'requests', most: 9, per: 'second' },
      { measure: 'concurrent', most: 9 },
      { measure: 'usd', most: 9, per: 'month', of: 'org' },
      { measure: 'usd', most: 9, per: 'month', of: 'plan', model: 'm' },
      { measure: 'tokens', most: 9, per: 'month', of: 'key' },
      { measure: 'tokens', most: 9, per: 'month', of: 'user' },
      { measure: 'images', most: 9, per: 'month', of: 'everybody' },
    ]
    const watches = watch(claimsWith({}, rules), all)
    expect(watches.map(({ name }) => name)).toEqual([
      `acct_1 usd/month// ${END}`,
      ...[
        'org:acme usd/month//',
        'plan:pro usd/month//m',
        'acct_1 tokens/month/key_1/',
        'acct_1:user:ada tokens/month//',
      ].map(each => `${each} ${Date.UTC(2026, 11, 1)}`),
      `everybody images/month// ${END}`,
    ])
    expect(watches.map(({ about: { account, org, plan, key, user } }) => [account, org, plan, key, user])).toEqual([
      ['acct_1', undefined, undefined, undefined, undefined],
      [undefined, 'acme', undefined, undefined, undefined],
      [undefined, undefined, 'pro', undefined, undefined],
      ['acct_1', undefined, undefined, 'key_1', undefined],
      ['acct_1', undefined, undefined, undefined, 'ada'],
      [undefined, undefined, undefined, undefined, undefined],
    ])
    expect(watch(claimsWith({}, rules), [{ at: [80], of: ['org'], to: ['ops'] }])).toHaveLength(1)
  })
})
