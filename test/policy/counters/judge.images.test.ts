import { expect, it } from 'vitest'
import { NO_COUNTERS } from '../../../src/policy/counters/account-counters.ts'
import { judge } from '../../../src/policy/counters/judge.ts'
import { decide } from '../../../src/policy/decide.ts'
import type { Claims } from '../../../src/policy/decision.ts'
import { nanoUsd } from '../../../src/policy/nano-usd.ts'
import { config, NOON, picture } from '../fixture.ts'

const claimsOf = (limit: number, images: number): Claims => {
  const decision = decide(config, picture({ images }))
  if ('denial' in decision) throw new Error('denied')
  return { ...decision.claims, spend: { ...decision.claims.spend, limit: nanoUsd(limit) } }
}

it('images are held at their price, each', () => {
  expect(judge(NO_COUNTERS, claimsOf(1e9, 3), NOON)).toMatchObject({
    granted: { output: 0, tokens: 20, cost: 30_000_000 },
  })
})

it('images that the month cannot pay are a 402, and no max_tokens would help', () => {
  expect(judge(NO_COUNTERS, claimsOf(29_999_999, 3), NOON)).toMatchObject({
    denial: { code: 'quota_exceeded', worst: 30_000_000, left: 29_999_999, fits: 0 },
  })
  expect(judge(NO_COUNTERS, claimsOf(30_000_000, 3), NOON)).toHaveProperty('granted')
})
