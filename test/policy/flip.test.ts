import { expect, test } from 'vitest'
import type { Config } from '../../src/policy/config.ts'
import { type AccountCounters, NO_COUNTERS } from '../../src/policy/counters/account-counters.ts'
import { flipsOf } from '../../src/policy/flip.ts'
import { nanoUsd, ZERO_USD } from '../../src/policy/nano-usd.ts'
import { config, embedding, facts, NOON } from './fixture.ts'

const second = NOON / 1000
const standing = (over: Partial<AccountCounters>): AccountCounters => ({ ...NO_COUNTERS, ...over })
const changes = (flips: ReturnType<typeof flipsOf>) => flips.map(({ change }) => change)

test('an admitted request needs no flip', () => {
  expect(flipsOf(config, facts(), NO_COUNTERS)).toEqual([])
})

test('a full minute ends when enough of its oldest requests have left it', () => {
  const minute = [
    { second: second - 50, requests: 1, tokens: 0 },
    { second: second - 20, requests: 19, tokens: 0 },
  ]

  expect(flipsOf(config, facts(), standing({ minute }))).toEqual([
    { change: 'time', at: NOON + 11_000 },
    { change: 'plan', names: ['pro', 'team'] },
  ])
})

test('a minute that ends in a spent month ends with the month', () => {
  const minute = [{ second, requests: 0, tokens: 40_000 }]
  const spend = { [Date.UTC(2026, 10)]: { used: nanoUsd(1_000_000_000), held: ZERO_USD } }

  const [first] = flipsOf(config, facts(), standing({ minute, spend }))

  expect(first).toEqual({ change: 'time', at: Date.UTC(2026, 11) })
})

test('nobody knows when the requests of others end: how many may stay is told', () => {
  expect(flipsOf(config, facts({ model: 'svc-core' }, 'team'), standing({ concurrent: 12 }))).toEqual([
    { change: 'under_way', to: 7 },
    { change: 'plan', names: ['free', 'pro', 'small'] },
  ])
})

test('a cap below what thinking needs is raised, or the thinking ends', () => {
  const flips = flipsOf(
    config,
    facts({ model: 'svc-ultra-pro', cap: { field: 'max_tokens', tokens: 5 } }, 'team'),
    NO_COUNTERS,
  )

  expect(flips[0]).toEqual({ change: 'max_tokens', from: 2000, to: 127_999 })
  expect(flips[1]).toEqual({ change: 'thinking', to: false })
})

test('a model outside the plan has plans and models for its remedy, and no time', () => {
  expect(flipsOf(config, facts({ model: 'svc-pro' }), NO_COUNTERS)).toEqual([
    { change: 'plan', names: ['pro', 'team'] },
    { change: 'model', names: ['svc-core'] },
  ])
})

test('an embedding has no cap to lower', () => {
  const minute = [{ second, requests: 0, tokens: 400_000 }]

  expect(changes(flipsOf(config, embedding(), standing({ minute })))).toEqual(['time'])
})

test('an account whose plan is no longer declared may be put on another one', () => {
  expect(flipsOf(config, facts({}, 'gone'), NO_COUNTERS)).toEqual([
    { change: 'plan', names: ['free', 'pro', 'team', 'small'] },
  ])
})

test('a route by the hour counts when the request is sent again', () => {
  const night: Config = {
    ...config,
    routes: [
      {
        name: 'night',
        at: { file: 'policy.yaml', line: 200, column: 1 },
        fields: {},
        when: { is: 'hour', from: 11, to: 23, zone: 'UTC' },
        model: config.models.get('svc-pro') ?? config.defaultModel,
      } as Config['routes'][number],
    ],
  }
  const minute = [{ second, requests: 120, tokens: 0 }]

  const [first] = flipsOf(night, facts({}, 'pro'), standing({ minute }))

  expect(first).toEqual({ change: 'time', at: NOON + 61_000 })
})
