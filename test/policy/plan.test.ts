import { describe, expect, it } from 'vitest'
import type { Config } from '../../src/policy/config.ts'
import { decide } from '../../src/policy/decide.ts'
import { windowOf } from '../../src/policy/decision.ts'
import { type Caller, storedTerms, type Terms, termsOfStored } from '../../src/policy/facts.ts'
import { nanoUsd } from '../../src/policy/nano-usd.ts'
import { planOf, serviceClaim } from '../../src/policy/plan.ts'
import { callerOn, config, facts, NOON } from './fixture.ts'

describe('the plan of an account', () => {
  it.each<[string, Terms, string | undefined]>([
    ['is the default one where nobody says another', {}, 'free'],
    ['is what its token claims', { claimed: 'pro' }, 'pro'],
    ['is what an operator chose, whatever its token claims', { override: 'team', claimed: 'pro' }, 'team'],
    ['is the default one where the claim names no plan', { claimed: 'gold' }, 'free'],
    [
      'is that of an entry of services whose limits are gone',
      { claimed: serviceClaim('pro', 'https://ci', 'ci') },
      'pro',
    ],
    ['is never that of guests by claim', { claimed: 'guest-device' }, 'free'],
    ['is none where an operator chose one that is gone', { override: 'gone', claimed: 'pro' }, undefined],
  ])('%s', (_name, terms, expected) => {
    expect(planOf(config, callerOn(terms))?.name).toBe(expected)
  })

  it.each<[string, Terms]>([
    ['is that of guests', {}],
    ['stays that of guests, whatever is claimed', { claimed: 'pro' }],
  ])('of a device %s', (_name, terms) => {
    expect(planOf(config, callerOn(terms, 'guest'))?.name).toBe('guest-device')
  })

  it('of a device is none where the files serve no guests', () => {
    const { guestPlan, ...without } = config

    expect(planOf(without, callerOn({}, 'guest'))).toBeUndefined()
  })
})

it('a cap is stored under the name that the records of older gateways have', () => {
  const terms: Terms = { override: 'pro', overage: { capNanoUsd: nanoUsd(7) }, claimed: 'team' }
  const stored = { override: 'pro', overage: { capUsd: nanoUsd(7) }, claimed: 'team' }

  expect(JSON.stringify(storedTerms(terms))).toBe(JSON.stringify(stored))
  expect(termsOfStored(stored)).toEqual(terms)
})

describe('the money of a month', () => {
  const spendOf = (terms: Terms, of: Config = config) => {
    const caller: Caller = callerOn(terms)
    const decision = decide(of, { ...facts(), caller })
    if ('denial' in decision) throw new Error('denied')
    const { limit, allotment, overageEnabled } = decision.claims.spend
    return { limit, allotment, overageEnabled }
  }
  const { start, end } = windowOf(NOON)

  it.each<[string, Terms, object]>([
    [
      'a grant of the window is added to the allotment',
      { override: 'free', grants: { [start]: nanoUsd(5) } },
      { limit: 1_000_000_005, allotment: 1_000_000_005, overageEnabled: false },
    ],
    [
      'a grant of another window is not',
      { override: 'free', grants: { [end]: nanoUsd(5) } },
      { limit: 1_000_000_000, allotment: 1_000_000_000, overageEnabled: false },
    ],
    [
      "an operator's overage takes the place of the plan's",
      { override: 'free', overage: { capNanoUsd: nanoUsd(7) } },
      { limit: 1_000_000_007, allotment: 1_000_000_000, overageEnabled: true },
    ],
    [
      'an operator can take the overage of a plan away',
      { override: 'pro', overage: false },
      { limit: 20_000_000_000, allotment: 20_000_000_000, overageEnabled: false },
    ],
  ])('%s', (_name, terms, expected) => {
    expect(spendOf(terms)).toEqual(expected)
  })
})
