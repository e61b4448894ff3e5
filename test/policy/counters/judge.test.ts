import { describe, expect, it } from 'vitest'
import { type AccountCounters, holdOf, NO_COUNTERS, take } from '../../../src/policy/counters/account-counters.ts'
import { judge } from '../../../src/policy/counters/judge.ts'
import { type Claims, type Refuse, windowOf } from '../../../src/policy/decision.ts'
import { nanoUsd, ZERO_USD } from '../../../src/policy/nano-usd.ts'
import { ASK, claimsOf, type Limits, NOON, WIDE } from '../play.ts'

/** The standing after `count` requests of the usual size, all under way. */
function standingAfter(count: number, at = NOON, limits: Limits = WIDE): AccountCounters {
  let standing = NO_COUNTERS
  for (let index = 0; index < count; index++) {
    const verdict = judge(standing, claimsOf(limits, ASK, at), at)
    if ('denial' in verdict) throw new Error(`request ${index} was refused`)
    const names = { requestId: `req_${index}`, account: 'acct_a', window: windowOf(at).start }
    standing = take(standing, holdOf(standing, verdict.granted, names, at))
  }
  return standing
}

describe('a verdict', () => {
  it('grants what is wanted where nothing binds', () => {
    expect(judge(NO_COUNTERS, claimsOf(WIDE, ASK, NOON), NOON)).toEqual({
      granted: { output: 20, tokens: 30, cost: nanoUsd(50) },
      readings: { requests: 0, tokens: 0, day: 0, concurrent: 0, used: ZERO_USD, held: ZERO_USD },
    })
  })

  it.each<[string, Partial<Limits>, Partial<typeof ASK>, object]>([
    ['wanted', {}, { want: 500 }, { output: 500, tokens: 510, cost: nanoUsd(1010) }],
    ['tokens of the minute', { tpm: 100 }, { want: 500 }, { output: 90, tokens: 100, cost: nanoUsd(190) }],
    [
      'tokens, over four choices',
      { tpm: 100 },
      { want: 500, choices: 4 },
      { output: 22, tokens: 98, cost: nanoUsd(186) },
    ],
    ['spend', { monthly: 101 }, { want: 500 }, { output: 45, tokens: 55, cost: nanoUsd(100) }],
    [
      'spend, over three choices',
      { monthly: 100 },
      { want: 500, min: 1, choices: 3 },
      { output: 15, tokens: 55, cost: nanoUsd(100) },
    ],
    ['the least of both', { tpm: 40, monthly: 100 }, { want: 500 }, { output: 30, tokens: 40, cost: nanoUsd(70) }],
    ['no more than the least that is asked', { tpm: 30 }, { want: 500 }, { output: 20, tokens: 30, cost: nanoUsd(50) }],
  ])('grants as much output as allowed by: %s', (_by, limits, ask, granted) => {
    const verdict = judge(NO_COUNTERS, claimsOf({ ...WIDE, ...limits }, { ...ASK, ...ask }, NOON), NOON)

    expect(verdict).toMatchObject({ granted })
  })

  it.each<[string, Partial<Limits>, Refuse['denial']]>([
    ['requests', { rpm: 3 }, rate('requests', 3, 61_000)],
    ['tokens', { tpm: 119 }, rate('tokens', 119, 61_000)],
    ['day', { perDay: 3 }, rate('daily_limit', 3, 12 * 3_600_000)],
    ['concurrency', { maxConcurrent: 3 }, rate('concurrency', 3, 1000)],
    ['spend held by others', { monthly: 199 }, rate('quota_hold', 199, 2000)],
  ])('refuses the fourth request for its %s', (_limit, limits, denial) => {
    const verdict = judge(standingAfter(3), claimsOf({ ...WIDE, ...limits }, ASK, NOON), NOON)

    expect(verdict).toEqual({
      denial,
      readings: { requests: 3, tokens: 90, day: 3, concurrent: 3, used: ZERO_USD, held: nanoUsd(150) },
    })
  })

  it.each([
    ['which is spent', 150, ASK, { worst: 50, left: 0, fits: 0 }],
    ['which leaves too little', 190, ASK, { worst: 50, left: 40, fits: 15 }],
    ['which leaves too little for four', 310, { ...ASK, choices: 4 }, { worst: 170, left: 160, fits: 18 }],
    ['which leaves not even the input', 155, ASK, { worst: 50, left: 5, fits: 0 }],
  ])('refuses for good what cannot fit in the quota, %s', (_how, monthly, ask, rest) => {
    const spent: AccountCounters = {
      ...NO_COUNTERS,
      spend: { [windowOf(NOON).start]: { used: nanoUsd(150), held: ZERO_USD } },
    }

    const verdict = judge(spent, claimsOf({ ...WIDE, monthly }, ask, NOON), NOON)

    const denial = { code: 'quota_exceeded', resetAt: windowOf(NOON).end, overageEnabled: false, ...rest }
    expect(verdict).toMatchObject({ denial })
  })

  it('refuses nothing for spend that has no limit', () => {
    const { limit: _none, ...spend } = claimsOf(WIDE, ASK, NOON).spend
    const claims: Claims = { ...claimsOf(WIDE, { ...ASK, want: 4000 }, NOON), spend }
    const spent: AccountCounters = {
      ...NO_COUNTERS,
      spend: { [spend.window.start]: { used: nanoUsd(9e12), held: nanoUsd(9e12) } },
    }

    expect(judge(spent, claims, NOON)).toMatchObject({ granted: { output: 4000 } })
  })

  it('never changes a standing', () => {
    const frozen = deepFreeze(standingAfter(3))

    expect(judge(frozen, claimsOf({ ...WIDE, rpm: 3 }, ASK, NOON), NOON)).toHaveProperty('denial')
    expect(judge(frozen, claimsOf(WIDE, ASK, NOON), NOON)).toHaveProperty('granted')
  })
})

describe('the month', () => {
  it('a request belongs to the window of its admission', () => {
    const end = windowOf(NOON).end
    const standing = standingAfter(3, end - 1)

    const limits = { ...WIDE, monthly: 50 }
    expect(judge(standing, claimsOf(limits, ASK, end), end)).toMatchObject({
      granted: {},
      readings: { used: ZERO_USD, held: ZERO_USD },
    })
    expect(judge(standing, claimsOf(limits, ASK, end - 1), end - 1)).toMatchObject({
      readings: { used: ZERO_USD, held: nanoUsd(150) },
    })
  })
})

describe('midnight', () => {
  const midnight = Date.UTC(2025, 5, 17)

  it('a clock that steps back over it does not give a second day', () => {
    const limits = { ...WIDE, perDay: 3 }
    const spent = standingAfter(3, midnight, limits)

    const before = judge(spent, claimsOf(limits, ASK, midnight - 500), midnight - 500)

    expect(before).toMatchObject({ denial: { type: 'daily_limit' } })
  })
})

function rate(type: 'requests' | 'tokens' | 'daily_limit' | 'concurrency' | 'quota_hold', limit: number, wait: number) {
  return { code: 'rate_limit_exceeded', type, limit, retryAfterMs: wait } as const
}

function deepFreeze<T extends object>(value: T): T {
  for (const part of Object.values(value)) if (typeof part === 'object' && part !== null) deepFreeze(part)
  return Object.freeze(value)
}
