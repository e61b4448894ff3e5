import { describe, expect, it } from 'vitest'
import { parseLimitRule } from '../../../src/config/model/limit-text.ts'

describe('a limit as commands take it', () => {
  it.each([
    ['usd 5 per day', { measure: 'usd', most: 5_000_000_000, per: 'day' }],
    [
      'tokens 2M per 30d of key for svc-core',
      { measure: 'tokens', most: 2_000_000, per: '30d', of: 'key', model: 'svc-core' },
    ],
    ['concurrent 3', { measure: 'concurrent', most: 3 }],
    [
      'requests 5 per second of account for tier:premium',
      { measure: 'requests', most: 5, per: 'second', model: 'tier:premium' },
    ],
  ])('%s is read', (text, rule) => {
    expect(parseLimitRule(text)).toEqual(rule)
  })

  it.each([
    ['dollars 5 per day', /a limit cannot count `dollars`, only requests, tokens/],
    ['usd five per day', /`five` is not an amount of US dollars/],
    ['usd 5', /needs a window/],
    ['concurrent 5 per day', /leave `per` out/],
    ['tokens 5 per year', /is not a window: second, minute/],
    ['tokens 5 per 91d', /days up to 90d/],
    ['tokens 5 per day of friends', /cannot share a limit: account, key/],
    ['tokens 5 per day per hour', /`per` is written twice/],
    ['tokens 5 per', /nothing follows `per`/],
    ['tokens 0 per day', /`0`/],
    ['', /a limit cannot count/],
  ])('%j is refused with a reason', (text, problem) => {
    expect(parseLimitRule(text)).toEqual({ problem: expect.stringMatching(problem) })
  })
})
