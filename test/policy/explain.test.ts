import { describe, expect, it } from 'vitest'
import { decide } from '../../src/policy/decide.ts'
import { explain } from '../../src/policy/explain.ts'
import type { Facts } from '../../src/policy/facts.ts'
import { config, facts, rows } from './table.ts'

const explained = (given: Facts) => explain(config, given, decide(config, given))

describe('explain', () => {
  it('says of every stage what it decided and where that is written', () => {
    const steps = explained(facts({}, 'pro'))

    expect(steps.map(({ stage, outcome, at }) => `${stage} ${outcome} ${at?.file}:${at?.line}`)).toEqual([
      'who pass policy.yaml:120',
      'model pass policy.yaml:60',
      'gate pass policy.yaml:121',
      'body pass policy.yaml:10',
      'rate pass policy.yaml:120',
      'quota pass policy.yaml:120',
      'send pass policy.yaml:10',
    ])
  })

  it('says of each limit what it allows, and who set it', () => {
    const pro = config.plans.get('pro')
    if (!pro) throw new Error('there is no plan pro')
    const rule = { measure: 'tokens', most: 2_000_000, per: 'day', model: 'svc-core' } as const
    const counted = { measure: 'usd', most: Number.MAX_SAFE_INTEGER, per: 'day', of: 'everybody' } as const
    const at = { file: 'policy.yaml', line: 122, column: 9 }
    const limited = { ...config, plans: new Map([['pro', { ...pro, rules: [{ rule, at }], counts: [counted] }]]) }
    const given = facts({}, 'pro')
    const key = { id: 'key_1', limits: [{ measure: 'requests', most: 5, per: 'hour', of: 'key' } as const] }
    const terms = {
      ...given.caller.terms,
      limits: [
        { measure: 'images', most: 5, per: 'day' } as const,
        { measure: 'usd', most: 7_000_000_000, per: 'day' } as const,
      ],
    }
    const theirs = { ...given, caller: { ...given.caller, key, terms } }

    const steps = explain(limited, theirs, decide(limited, theirs)).filter(({ stage }) => stage === 'rate')

    expect(steps.slice(1)).toEqual([
      { stage: 'rate', outcome: 'pass', text: '2,000,000 tokens a day (UTC) for svc-core', at },
      { stage: 'rate', outcome: 'pass', text: '$7 a day (UTC), set by an operator' },
      { stage: 'rate', outcome: 'pass', text: '5 requests an hour, of each key, set for the key' },
    ])
  })

  it('ends with the stage that denied, at the line that denied', () => {
    expect(explained(facts({ model: 'svc-pro' }, 'free')).at(-1)).toEqual({
      stage: 'gate',
      outcome: 'deny',
      text: 'plan free does not include svc-pro, which is tier standard',
      at: { file: 'policy.yaml', line: 110, column: 1 },
    })
  })

  it('says of a model that the key excludes that it is the key, and not the plan', () => {
    const given = facts({ model: 'svc-pro' }, 'pro')
    const caller = { ...given.caller, key: { id: 'key_1', models: ['svc-core'] } }

    expect(explained({ ...given, caller }).slice(-2)).toMatchObject([
      { stage: 'gate', outcome: 'pass', text: expect.stringMatching(/^plan pro includes svc-pro by/) },
      { stage: 'gate', outcome: 'deny', text: 'key key_1 does not include svc-pro' },
    ])
  })

  it('says of an account on a plan that is not declared no more than that', () => {
    expect(explained(facts({}, 'gone'))).toEqual([
      { stage: 'who', outcome: 'deny', text: expect.stringMatching(/ on plan gone, which the files do not declare$/) },
    ])
  })

  it('says of a frozen account no more than that', () => {
    const given = facts({}, 'pro')
    const caller = { ...given.caller, terms: { ...given.caller.terms, frozen: true as const } }

    expect(explained({ ...given, caller })).toEqual([
      { stage: 'who', outcome: 'deny', text: expect.stringMatching(/ is frozen by an operator$/) },
    ])
  })

  it.each(rows)('agrees with the decision: %s', (_name, given) => {
    const decision = decide(config, given)
    const steps = explain(config, given, decision)
    const denied = steps.filter(({ outcome }) => outcome === 'deny').map(({ stage, at }) => ({ stage, at }))

    expect(denied).toEqual('denial' in decision ? [{ stage: decision.stage, at: decision.at }] : [])
    expect(steps.at(-1)?.stage).toBe('denial' in decision ? decision.stage : 'send')
  })
})
