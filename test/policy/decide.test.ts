import { describe, expect, it } from 'vitest'
import { decide } from '../../src/policy/decide.ts'
import type { CallerKey, Facts } from '../../src/policy/facts.ts'
import { mostOf } from '../../src/policy/limits/named-rules.ts'
import { MEASURES } from '../../src/policy/limits/rule.ts'
import { embedding, picture } from './fixture.ts'
import { config, explicitDefault, facts, NOON, rows, told } from './table.ts'

const plan = (name: string) => {
  const found = config.plans.get(name)
  if (!found) throw new Error(`no plan ${name}`)
  return found
}

describe('decide', () => {
  it.each(rows)('%s', (_name, given, expected) => {
    expect(told(decide(config, given))).toBe(expected)
  })

  it.each([
    ['all that its plan includes, where it names none', undefined, 'svc-pro', 'allowed'],
    ['a model that it names', ['svc-pro'], 'svc-pro', 'allowed'],
    ['a model of a tier that it names', ['tier:standard'], 'svc-pro', 'allowed'],
    ['no other model', ['svc-core'], 'svc-pro', 'key'],
    ['no model of another tier', ['tier:guest'], 'svc-pro', 'key'],
    ['no model that its plan does not include', ['svc-ultra-pro'], 'svc-ultra-pro', 'plan'],
  ])('a key may use %s', (_what, models, model, expected) => {
    const given = facts({ model, cap: { field: 'max_tokens', tokens: 2000 } }, expected === 'plan' ? 'free' : 'pro')
    const key = { id: 'key_1', ...(models && { models }) }

    const decision = decide(config, { ...given, caller: { ...given.caller, key } })

    if (expected === 'allowed') expect(decision).toMatchObject({ model: { name: model } })
    else
      expect(decision).toMatchObject({
        ...{ stage: 'gate', denial: { type: 'plan_limit', model } },
        ...(expected === 'key' && { denial: { of: 'key' } }),
      })
  })

  it('a key in the place of another one counts as that one in limits of keys', () => {
    const limits = [{ measure: 'usd', most: 1_000_000_000_000, per: 'day', of: 'key' }] as const
    const counterOf = (key: CallerKey) => {
      const given = facts({}, 'pro')
      const decision = decide(config, { ...given, caller: { ...given.caller, key } })
      return 'denial' in decision ? undefined : decision.claims.rules?.map(({ field }) => field)
    }

    expect(counterOf({ id: 'key_2', limits, origin: 'key_1' })).toEqual(['usd/day/key_1/'])
    expect(counterOf({ id: 'key_1', limits })).toEqual(['usd/day/key_1/'])
    expect(counterOf({ id: 'key_3', limits })).toEqual(['usd/day/key_3/'])
  })

  it('gives the same decision for the same facts', () => {
    for (const [, given] of rows) expect(decide(config, given)).toEqual(decide(config, structuredClone(given)))
  })

  it('takes a default that is a model by name as an explicit choice', () => {
    expect(told(decide(explicitDefault, facts({ cap: { field: 'max_tokens', tokens: 9 } })))).toBe(
      'svc-core | onprem-core, cloud-core | input 36, output 9..9 ×1',
    )
  })

  it.each([
    ['no overage: the allotment is the limit', 'free', { limit: 1_000_000_000, overageEnabled: false }],
    ['overage without a cap: no limit', 'pro', { limit: undefined, overageEnabled: true }],
    ['overage with a cap: the cap on top', 'team', { limit: 300_000_000_000, overageEnabled: true }],
  ])('%s', (_name, plan, expected) => {
    const decision = decide(config, facts({}, plan))

    if ('denial' in decision) throw new Error('denied')
    const { limit, overageEnabled } = decision.claims.spend
    expect({ limit, overageEnabled }).toEqual(expected)
  })

  it('claims the day and concurrency only where the plan limits them', () => {
    const claims = ['guest-device', 'team', 'free'].map(plan => {
      const decision = decide(config, facts({}, plan))
      if ('denial' in decision) throw new Error('denied')
      return [mostOf(decision.claims.limits, 'per_day'), mostOf(decision.claims.limits, 'max_concurrent')]
    })

    expect(claims).toEqual([
      [7200, Infinity],
      [Infinity, 8],
      [Infinity, Infinity],
    ])
  })

  it('counts a request in the limits of what it can take, and in no others', () => {
    const measured = (given: Facts) => {
      const rules = MEASURES.map(measure => ({ rule: { measure, most: 100_000_000, per: 'day' as const } }))
      const pro = { ...plan('pro'), rules }
      const decision = decide({ ...config, plans: new Map([['pro', pro]]) }, given)
      if ('denial' in decision) throw new Error('denied')
      return MEASURES.filter(measure => !decision.claims.rules?.some(({ rule }) => rule.measure === measure))
    }

    expect(measured(facts({}, 'pro'))).toEqual(['images', 'seconds'])
    expect(measured(picture())).toEqual(['output_tokens', 'seconds'])
    expect(measured(embedding())).toEqual(['output_tokens', 'images', 'seconds'])
  })

  it('puts the request into the calendar month, UTC, of its moment', () => {
    const window = (at: number) => {
      const decision = decide(config, facts({}, 'free', [], at))
      if ('denial' in decision) throw new Error('denied')
      const { start, end } = decision.claims.spend.window
      return [new Date(start).toISOString(), new Date(end).toISOString()]
    }

    expect(window(NOON)).toEqual(['2026-11-01T00:00:00.000Z', '2026-12-01T00:00:00.000Z'])
    expect(window(Date.UTC(2026, 11, 31, 23, 59, 59, 999))).toEqual([
      '2026-12-01T00:00:00.000Z',
      '2027-01-01T00:00:00.000Z',
    ])
    expect(window(Date.UTC(2028, 1, 29))).toEqual(['2028-02-01T00:00:00.000Z', '2028-03-01T00:00:00.000Z'])
  })

  it.each([
    ['the one asked', { model: 'anything' }, 'anything'],
    ['the default one', {}, config.defaultModel.name],
  ])('denies %s to an account on a plan that is not declared', (_name, ask, model) => {
    expect(decide(config, facts(ask, 'gone'))).toMatchObject({
      denial: { code: 'rate_limit_exceeded', type: 'plan_limit', model, plan: 'gone' },
      stage: 'who',
    })
  })

  it.each(['pro', 'gone'])('denies everything to a frozen account on plan %s', plan => {
    const given = facts({}, plan)
    const caller = { ...given.caller, terms: { ...given.caller.terms, frozen: true as const } }

    expect(decide(config, { ...given, caller })).toEqual({ denial: { code: 'ACCOUNT_FROZEN' }, stage: 'who' })
  })

  it('denies everything to the accounts of a frozen org, and says which', () => {
    const given = facts({}, 'pro')
    const caller = {
      ...given.caller,
      terms: { ...given.caller.terms, org: 'acme' },
      orgTerms: { frozen: true as const },
    }

    expect(decide(config, { ...given, caller })).toEqual({
      denial: { code: 'ACCOUNT_FROZEN', org: 'acme' },
      stage: 'who',
    })
    expect(decide(config, { ...given, caller: { ...caller, orgTerms: {} } })).toEqual(decide(config, given))
  })

  it('claims the limits of the org too', () => {
    const given = facts({}, 'pro')
    const rule = { measure: 'usd', most: 500_000_000_000, per: 'month', of: 'org' } as const
    const caller = { ...given.caller, terms: { ...given.caller.terms, org: 'acme' }, orgTerms: { limits: [rule] } }

    expect(decide(config, { ...given, caller })).toMatchObject({ claims: { rules: [{ rule, group: 'org:acme' }] } })
  })

  it('names the plan of an account without any `none`', () => {
    const { defaultPlan, ...without } = config
    const caller = { ...facts().caller, terms: {} }

    expect(decide(without, { ...facts(), caller })).toMatchObject({ denial: { type: 'plan_limit', plan: 'none' } })
  })
})
