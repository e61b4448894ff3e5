import { describe, expect, it } from 'vitest'
import { remediesOf } from '../../src/simulate/flips.ts'
import { seenOf } from '../../src/simulate/result.ts'
import { type Situation, scenarioOf } from '../../src/simulate/scenario.ts'
import { simulate } from '../../src/simulate/simulation.ts'
import { loadGood } from '../config/files.ts'
import { ran, read } from './example.ts'

const yaml = `
version: 1
store: embedded:./data
plans:
  free: { models: all, rpm: 100, tpm: 1M, monthly_usd: 10 }
  pro: { models: all, rpm: 100, tpm: 1M, monthly_usd: 10, priority: 2 }
  team: { models: all, rpm: 100, tpm: 1M, monthly_usd: 10 }
  guest: { models: [tier:guest], rpm: 100, per_day: 100, tpm: 1M, monthly_usd: 10 }
guests: { plan: guest, usd_per_day_total: 50 }
models:
  one: { kind: chat, tier: guest, serve: [near], context: 32k, usd_per_1m: { input: 1, output: 1 } }
  two: { kind: chat, tier: guest, serve: [near, far], context: 32k, usd_per_1m: { input: 1, output: 1 } }
  shared: { kind: chat, tier: guest, serve: [halves], mirror: { to: far, sample: 100% }, context: 32k, usd_per_1m: { input: 1, output: 1 } }
default_model: one
pools:
  near: { site: here, model: m, replicas: ['http://near.example/v1'], max_concurrent: 4, queue: { max: 20, of_account: 10, bytes: 1MB, before_next: 0s } }
  far: { site: here, model: m, replicas: ['http://far.example/v1'], max_concurrent: 2 }
  halves: { site: here, model: m, replicas: ['http://halves.example/v1'], max_concurrent: 4, queue: { max: 20 }, shares: { org:lab: 50%, plan:team: 25% } }
`
const loaded = (edit = (text: string) => text) => loadGood(edit(yaml))

async function simulated(situation: Partial<Situation>, edit?: (text: string) => string) {
  const files = loaded(edit)
  const scenario = scenarioOf(files.config, { plan: 'free', ...situation })
  if (!scenario) throw new Error('there is no plan free')
  const simulation = await simulate(files, scenario)
  return {
    seen: seenOf(files, simulation),
    texts: simulation.steps.map(({ text }) => text),
    remedies: await remediesOf(files, scenario, simulation),
  }
}

const HOG = { requests: 10, account: 'hog' }

describe('a request for a full pool', () => {
  it.each<[string, Partial<Situation>, object]>([
    ['gets the next slot', { pools: { near: { in_flight: 4 } } }, { waits_in: 'near', waits_behind: 0 }],
    [
      'waits behind as many accounts as came first',
      { pools: { near: { in_flight: 4, queued: 7 } } },
      { waits_behind: 7 },
    ],
    [
      'waits behind one request of an account that floods the queue',
      { pools: { near: { in_flight: 4, queued: [HOG] } } },
      { waits_behind: 1 },
    ],
    [
      'waits behind the requests of its own account, between which each other account has one',
      { pools: { near: { in_flight: 4, queued: [{ requests: 3, account: 'sender' }, HOG] } } },
      { waits_behind: 6 },
    ],
    [
      'waits behind all requests of a plan with a higher priority',
      { pools: { near: { in_flight: 4, queued: [{ requests: 9, plan: 'pro' }, { requests: 2 }] } } },
      { waits_behind: 11 },
    ],
    [
      'overtakes all requests of plans with a lower priority',
      { plan: 'pro', pools: { near: { in_flight: 4, queued: [{ requests: 9, plan: 'free' }] } } },
      { waits_behind: 0, served_by: 'near', status: 200 },
    ],
    [
      'is turned away by a queue that is full',
      { pools: { near: { in_flight: 4, queued: 20 } } },
      { status: 503, code: 'UPSTREAMS_EXHAUSTED', queue_full: 'max', waits_in: undefined, attempted: ['near'] },
    ],
    [
      'is turned away where its account has as many requests as may wait',
      { pools: { near: { in_flight: 4, queued: [{ requests: 10, account: 'sender' }] } } },
      { status: 503, queue_full: 'of_account' },
    ],
    [
      'is turned away where the bodies of its account take too many bytes',
      { pools: { near: { in_flight: 4, queued: [{ requests: 2, account: 'sender', bytes: '500KB' }] } } },
      { status: 503, queue_full: 'bytes' },
    ],
    [
      'goes to a later pool that has room',
      { model: 'two', pools: { near: { in_flight: 4 } } },
      { waits_in: undefined, served_by: 'far' },
    ],
    [
      'waits for the first pool where the later one is full too, and takes the first slot of either',
      { model: 'two', pools: { near: { in_flight: 4, queued: 5 }, far: { in_flight: 2 } } },
      { waits_in: 'near', waits_behind: 0, served_by: 'far' },
    ],
    [
      'waits where the later pool fails',
      { model: 'two', pools: { near: { in_flight: 4 }, far: 'failing' } },
      { waits_in: 'near', served_by: 'near', attempted: ['near', 'far'] },
    ],
    [
      'does not wait while a slot is free',
      { pools: { near: { in_flight: 3 } } },
      { waits_in: undefined, served_by: 'near' },
    ],
  ])('%s', async (_name, situation, expected) => {
    expect((await simulated(situation)).seen).toMatchObject(expected)
  })

  it('goes on to a later pool after before_next, as if no slot came free by then', async () => {
    const waiting = (text: string) => text.replace('before_next: 0s', 'before_next: 2s')
    const { seen } = await simulated({ model: 'two', pools: { near: { in_flight: 4 } } }, waiting)
    expect(seen).toMatchObject({ waits_in: 'near', waits_behind: undefined, served_by: 'far' })
  })

  it('is told to come back when the queue may have room', async () => {
    const { seen } = await simulated({ pools: { near: { in_flight: 4, queued: 20 } } })
    expect(seen.headers).toMatchObject({ 'retry-after': '30' })
  })
})

describe('a request in a pool with shares', () => {
  const lab = { model: 'shared', org: 'lab' }
  /** All that is guaranteed to the lab, behind two older requests. */
  const HALF = [
    { requests: 2, plan: 'free' },
    { requests: 2, org: 'lab' },
  ]
  it.each<[string, Partial<Situation>, object]>([
    ['gets a guaranteed slot', { ...lab }, { slot: 'guaranteed', waits_in: undefined }],
    [
      'gets the next slot where its owner has none and others wait, and it is guaranteed',
      {
        ...lab,
        pools: { halves: { in_flight: [{ requests: 4, plan: 'free' }], queued: [{ requests: 9, plan: 'pro' }] } },
      },
      { slot: 'guaranteed', waits_behind: 0 },
    ],
    [
      'waits in the order of the pool where its owner has all that is guaranteed, and borrows',
      { ...lab, pools: { halves: { in_flight: HALF, queued: [{ requests: 1, plan: 'free' }] } } },
      { waits_behind: 1, slot: 'borrowed' },
    ],
    [
      'gets the slot of its owner as soon as that is guaranteed again',
      { ...lab, pools: { halves: { in_flight: HALF, queued: [{ requests: 3, plan: 'free' }] } } },
      { waits_behind: 2, slot: 'guaranteed' },
    ],
    ['gets a slot that no share guarantees', { model: 'shared' }, { slot: 'open' }],
    [
      'borrows an idle slot of another share',
      { model: 'shared', pools: { halves: { in_flight: [{ requests: 1, plan: 'free' }] } } },
      { slot: 'borrowed' },
    ],
  ])('%s', async (_name, situation, expected) => {
    expect((await simulated(situation)).seen).toMatchObject(expected)
  })
})

it('a mirror gets a copy only while it has a free slot', async () => {
  expect((await simulated({ model: 'shared' })).seen.mirror).toBe('far')
  expect((await simulated({ model: 'shared', pools: { far: { in_flight: 2 } } })).seen.mirror).toBeUndefined()
})

it.each<[string, Partial<Situation>, readonly object[]]>([
  ['all slots are in use', { pools: { near: { in_flight: 4, queued: 20 } } }, [{ change: 'room', names: ['near'] }]],
  [
    'all slots are in use and its engines are busy',
    { pools: { near: { in_flight: 4, queued: 20, waiting: 12, replicas: [{ running: 4 }] } } },
    [{ change: 'room', names: ['near'] }],
  ],
])('a free slot would have a request served by a pool where %s', async (_name, situation, expected) => {
  const { seen, remedies } = await simulated(situation)
  expect(seen.status).toBe(503)
  expect(remedies).toEqual(expected)
})

it('the stages say where the request waits, behind how many, and in which slot it runs', async () => {
  const held = { in_flight: [{ requests: 4, plan: 'free' }], queued: 1 }
  const { texts } = await simulated({ model: 'shared', org: 'lab', pools: { halves: held } })
  expect(texts.slice(-3)).toEqual([
    'the request waits for a slot of halves, behind 1 other',
    'the request gets a slot of halves that its share guarantees',
    'halves',
  ])
  const full = await simulated({ pools: { near: { in_flight: 4, queued: 20 } } })
  expect(full.texts.slice(-2)).toEqual([
    'near is full, and its queue takes no more: queue.max is reached',
    'near is full',
  ])
})

it.each([
  ['pools: { near: { in_flight: 5 } }', 'pool `near` has 4 slots, and 5 requests are given'],
  [
    'pools: { near: { in_flight: 3, queued: 1 } }',
    'requests wait for pool `near` only while all of its slots are in use',
  ],
  ['pools: { far: { in_flight: 2, queued: 1 } }', 'pool `far` has no `queue`'],
  ['pools: { near: { in_flight: 4, queued: 21 } }', 'the queue of pool `near` takes 20'],
  [
    'pools: { near: { in_flight: 4, queued: [{ requests: 11, account: a }] } }',
    'the queue of pool `near` takes 10 requests of one account',
  ],
  [
    'pools: { near: { in_flight: 4, queued: [{ requests: 3, bytes: 2MB }] } }',
    'the queue of pool `near` takes bodies of 1000000 bytes of one account',
  ],
  ['pools: { near: { in_flight: [{ requests: 1, plan: fre }] } }', 'no such plan `fre`'],
  ['pools: { near: { in_flight: [{ plan: free }] } }', 'an entry of `in_flight` has no `requests`'],
  ['pools: { near: { in_flight: much } }', '`much` is not a number'],
  ['pools: { neer: { in_flight: 1 } }', 'no such pool `neer`'],
  [
    'pools: { near: { in_flight: [{ requests: 1, account: sender, plan: pro }] } }',
    'the account `sender` has the plan of the request itself',
  ],
  [
    'pools: { near: { in_flight: 4, queued: [{ requests: 1, account: sender, org: lab }] } }',
    'the account `sender` has the org of the request itself',
  ],
  [
    'pools: { near: { in_flight: 4, queued: [{ requests: 1, account: a, plan: pro }, { requests: 1, account: a }] } }',
    'the account `a` has another plan in an earlier group',
  ],
  [
    'pools: { far: { in_flight: [{ requests: 1, account: a, org: lab }] }, near: { in_flight: [{ requests: 1, account: a }] } }',
    'the account `a` has another org in an earlier group',
  ],
  ['pools: { near: { in_flight: [{ requests: 1, plan: guest, org: lab }] } }', 'guests belong to no org'],
  ['org: lab, auth: none', '`org` has no effect beside `auth`'],
])('a case that says %s is refused at its line', (fields, message) => {
  const { problems } = read(
    `cases:\n  - { name: it, plan: free, ${fields}, expect: { status: 200 } }\n`.replace(
      /plan: free, (org: lab, auth)/,
      '$1',
    ),
    loaded(),
  )
  expect(problems.map(problem => [problem.line, problem.message])).toEqual([[2, message]])
})

it.each([
  ['waits_in: neer', 'no such pool `neer`'],
  ['slot: lent', 'no such slot `lent`'],
  ['queue_full: timeout', 'no such queue_full `timeout`'],
])('a case that expects %s is refused at its line', (expected, message) => {
  const { problems } = read(`cases:\n  - { name: it, plan: free, expect: { ${expected} } }\n`, loaded())
  expect(problems.map(problem => [problem.line, problem.message])).toEqual([[2, message]])
})

it('a case that expects another place in the queue fails, and names both', async () => {
  const held = 'pools: { near: { in_flight: 4, queued: 7 } }'
  const { results } = await ran(
    `cases:\n  - { name: it, plan: free, ${held}, expect: { waits_behind: 6 } }\n`,
    loaded(),
  )
  expect(results[0]?.mismatches).toEqual([{ path: 'waits_behind', expected: 6, got: 7 }])
})
