import { describe, expect, it } from 'vitest'
import { Lessons } from '../../../src/gateway/pools/lessons.ts'
import { Pools } from '../../../src/gateway/pools/pools.ts'
import { AttemptPlanner } from '../../../src/gateway/upstream/attempt-planner.ts'
import type { Pool } from '../../../src/policy/config.ts'
import { UNKNOWN } from '../../../src/policy/providers/profile.ts'

const AT = 1_000_000
const DAY = 86_400_000

const pool: Pool = {
  ...{ name: 'onprem', at: { file: 'pools.yaml', line: 1, column: 1 }, fields: {} },
  ...{ site: 'x', replicas: ['http://127.0.0.1:1/v1'], model: 'm', speaks: ['chat'], providerTools: [] },
  ...{ unknownFields: 'drop', passes: [], fetches: false, caps: ['max_tokens'], fetch: 'whole' },
  ...{ balance: 'busy', caches: 'account', slotsOver: 'gateway' },
  provider: { facts: UNKNOWN },
}

describe('what refusals taught', () => {
  it('is of a thousand accounts at most, the latest', () => {
    const lessons = new Lessons()
    for (let i = 0; i < 1001; i++) lessons.learn(`acct_${i}`, [{ field: 'seed' }], AT)

    expect(lessons.known(AT)).toHaveLength(1000)
    expect(lessons.of(pool, 'acct_0', AT)).toEqual([])
    expect(lessons.of(pool, 'acct_1000', AT)).toMatchObject([{ field: 'seed' }])
  })

  it('ends a day after it was learned, whatever is learned later', () => {
    const lessons = new Lessons()
    lessons.learn('acct', [{ field: 'seed' }], AT)
    lessons.learn('acct', [{ field: 'user' }], AT + DAY - 1)
    lessons.learn('acct', [{ field: 'seed' }], AT + DAY - 1)
    // Another process is told of each with its own time.
    const others = new Lessons()
    for (const { account, lessons: learned, at } of lessons.known(AT + DAY - 1)) others.learn(account, learned, at)

    for (const each of [lessons, others]) {
      expect(each.of(pool, 'acct', AT + DAY - 1)).toMatchObject([{ field: 'seed' }, { field: 'user' }])
      expect(each.of(pool, 'acct', AT + DAY)).toMatchObject([{ field: 'user' }])
      expect(each.counted(pool, AT + DAY)).toEqual([{ field: 'user', accounts: 1 }])
      expect(each.of(pool, 'acct', AT + 2 * DAY - 1)).toEqual([])
    }
  })

  it('is forgotten where the files declare the pool anew', () => {
    const lessons = new Lessons()
    lessons.of(pool, 'acct', AT)
    lessons.learn('acct', [{ field: 'seed' }], AT)

    expect(lessons.of({ ...pool }, 'acct', AT)).toEqual([])
  })
})

it('a refused request is asked again within the retry budget alone', () => {
  const pools = new Pools()
  const ports = {
    pools,
    chance: () => 0,
    account: 'acct',
    declared: [pool],
    settingsOf: () => ({ spill: {} }) as never,
  }
  const planner = new AttemptPlanner(ports, [pool])
  const step = planner.next(AT)
  if (step.kind !== 'try') throw new Error('the replica is well')
  pools.of(pool.name).retrying = 3

  expect(planner.repeats(step, AT)).toBe(false)
  pools.of(pool.name).retrying = 0
  expect(planner.repeats(step, AT)).toBe(true)
  expect(planner.next(AT)).toMatchObject({ kind: 'try', isRetry: true, isRepeated: true })
})
