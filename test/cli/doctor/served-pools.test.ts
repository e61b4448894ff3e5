import { expect, test } from 'vitest'
import { servedFinding, taughtFinding } from '../../../src/cli/doctor/check-served-pools.ts'
import type { ShownPool } from '../../../src/wire/admin/pool.ts'
import type { ReplicaState } from '../../../src/wire/admin/pool-replica.ts'

const STATES: readonly (readonly [ReplicaState[], object])[] = [
  [['closed', 'closed'], {}],
  [['open', 'open'], { state: 'problem', text: 'the running gateway has ejected all 2 replicas' }],
  [['closed', 'open'], { state: 'warning', text: 'the running gateway has ejected replica 2' }],
  [['drained'], { state: 'warning', text: 'the running gateway has drained its only replica' }],
  [
    ['drained', 'open'],
    { state: 'problem', text: 'the running gateway has drained replica 1, and has ejected replica 2' },
  ],
  [
    ['cooling'],
    { state: 'problem', text: 'the running gateway is pausing, as asked by the backend, its only replica' },
  ],
  [
    ['half-open', 'closed'],
    { state: 'warning', text: 'the running gateway is trying again, after it ejected, replica 1' },
  ],
]

test.each(STATES)('replicas that are %j are one finding of the pool, unless all take requests', (states, found) => {
  const fit = states.filter(state => state === 'closed').length

  const [finding, ...more] = servedFinding(poolOf(states))

  expect(more).toEqual([])
  if (fit === states.length) expect(finding).toBeUndefined()
  else expect(finding).toMatchObject({ subject: 'gpu', replicas: { fit, of: states.length }, ...found })
})

test('gateways that see an ejected replica are named where others see another state', () => {
  const [finding] = servedFinding(poolOf(['open', 'closed'], ['gw-1:7']))

  expect(finding?.text).toBe('the running gateway has ejected replica 1 (seen by gw-1:7)')
})

test('what refusals taught is a finding, with what to write into the pool', () => {
  const learned = [
    { field: 'seed', as: null, accounts: 2 },
    { field: 'stream_options', as: null, accounts: 1 },
    { field: 'max_tokens', as: 'max_completion_tokens', accounts: 1 },
  ]
  const [finding, ...more] = taughtFinding({ ...poolOf(['closed']), learned })

  expect(more).toEqual([])
  expect(finding).toMatchObject({ subject: 'gpu', state: 'warning', replicas: { fit: 1, of: 1 } })
  expect(finding?.text).toContain('without seed (refused for 2 accounts)')
  expect(finding?.hint).toContain('provider: { cap: max_completion_tokens, stream_options: false, drops: [seed] }')
  expect(taughtFinding(poolOf(['closed']))).toEqual([])
})

const poolOf = (states: readonly ReplicaState[], seenBy?: readonly string[]): ShownPool => ({
  ...{ pool: 'gpu', site: 'on-premises', model: 'm', models: ['svc-core'], drained: false, in_flight: 0, waiting: 0 },
  ...{ max_concurrent: null, hour_usd: null, max_usd_per_hour: null, requests_10s: 0, retries_10s: 0 },
  replicas: states.map((state, at) => ({
    ...{ replica: at + 1, url: `http://b${at}/v1`, state, in_flight: 0, failures: 0, retry_in_ms: null },
    last_probe: null,
    ...(state === 'open' && seenBy && { seen_by: seenBy }),
  })),
})
