import { describe, expect, it } from 'vitest'
import { TableBudget } from '../../../src/gateway/balance/mark-table.ts'
import { type BalancedRequest, PoolBalance } from '../../../src/gateway/balance/pool-balance.ts'
import { Pools } from '../../../src/gateway/pools/pools.ts'
import { Replica } from '../../../src/gateway/pools/replica.ts'
import { PoolState } from '../../../src/gateway/pools/state.ts'
import type { Pool } from '../../../src/policy/config.ts'
import { config } from '../../policy/fixture.ts'

const pool = [...config.pools.values()].find(({ replicas }) => replicas.length > 1)
if (!pool) throw new Error('no pool has several replicas')
const declared = { ...pool, balance: 'prefix' } as const

/** A request whose prompt has 10,000 tokens in ten marks. */
function request(name: number): BalancedRequest {
  const marks = (salt: number) => Array.from({ length: 10 }, (_, at) => Math.imul(name * 64 + at + 1, salt))
  const ends = Array.from({ length: 10 }, (_, at) => 4000 * (at + 1))
  const sketch = { low: marks(7919), high: marks(104_729), ends, bytes: 40_000, anchor: name }
  return { sketch: () => sketch, domainIn: () => ({ low: 1, high: 2 }), session: () => name }
}

/** The prompts go to the replica one after the other; `cachedTokens` is what it says that it had of them. */
function sending() {
  const balance = new PoolBalance(new TableBudget())
  const replicas = declared.replicas.map(url => new Replica(url, { changed: () => {} }))
  const choose = (name: number) => balance.choose(declared, replicas, request(name), 4)
  const send = (name: number, cachedTokens?: number) => {
    const chosen = choose(name)
    if (!chosen) throw new Error('there are replicas')
    balance.sent(chosen.pick, chosen.replica)
    balance.answered(chosen.pick, chosen.replica, cachedTokens)
    return chosen.replica
  }
  const expected = (name: number) => choose(name)?.pick.expectedTokens
  return { send, expected, balance, replicas }
}

describe('a pool that chooses by prompts', () => {
  it('expects of a replica what it was sent', () => {
    const { send, expected } = sending()
    send(1)
    expect(expected(1)).toBe(10_000)
    expect(expected(2)).toBe(0)
  })

  it('keeps to it after one prompt that was evicted, which the replica has just computed', () => {
    const { send, expected } = sending()
    send(1, 0)
    send(1, 9000)
    send(1, 10)
    expect(expected(1)).toBe(10_000)
  })

  it('takes the cache of a replica for gone once it had less than half of eight expected prompts in a row', () => {
    const { send, expected } = sending()
    const home = send(1, 1)
    // Those that the same replica gets.
    const others = Array.from({ length: 200 }, (_, at) => at + 10)
      .filter(name => send(name) === home)
      .slice(0, 8)
    for (const name of others) expect(send(name, 16)).toBe(home)
    expect(expected(1)).toBe(0)
    expect(expected(others.at(-1) ?? 0)).toBe(10_000)
  })

  it('keeps what it knows of backends that never say what they had cached', () => {
    const { send, expected } = sending()
    for (let turn = 0; turn < 20; turn++) send(1)
    expect(expected(1)).toBe(10_000)
  })

  it('forgets what a replica had whose engine started anew, as its metrics say', () => {
    const state = new PoolState({ changed: () => {} })
    const replicas = declared.replicas.map(url => state.replica(url))
    const choose = () => state.balance.choose(declared, replicas, request(1), 4)
    const chosen = choose()
    if (!chosen) throw new Error('there are replicas')
    state.balance.sent(chosen.pick, chosen.replica)
    const report = { at: 1000, running: 0, waiting: 0 }
    chosen.replica.reported({ ...report, startedAt: 100 })
    chosen.replica.reported({ ...report, startedAt: 100 })
    expect(choose()?.pick.expectedTokens).toBe(10_000)
    chosen.replica.reported({ ...report, startedAt: 500_000 })
    expect(choose()?.pick.expectedTokens).toBe(0)
  })

  it.each([
    [{ site: 'elsewhere' }, 10_000],
    [{ model: 'another' }, 0],
    [{ caches: 'pool' }, 0],
  ] as const)('expects %j to change what it knows only where it changes the caches', (changed, expected) => {
    const { send, balance, replicas } = sending()
    send(1)
    expect(balance.choose({ ...declared, ...changed }, replicas, request(1), 4)?.pick.expectedTokens).toBe(expected)
  })

  it.each([
    ['timeouts', false, 10_000],
    ['connections that it refused or reset', true, 0],
  ])(
    'knows of a replica that is ejected for %s what such a failure leaves of its cache',
    (_why, brokeOff, expected) => {
      const state = new PoolState({ changed: () => {} })
      const replicas = declared.replicas.map(url => state.replica(url))
      const choose = () => state.balance.choose(declared, replicas, request(1), 4)
      const { replica, pick } = choose() ?? {}
      if (!replica || !pick) throw new Error('there are replicas')
      state.balance.sent(pick, replica)
      replica.brokeOff = brokeOff
      replica.breaker.failed(1000, { after: 1, for: 1000 })
      expect(replica.breaker.state(1000)).toBe('open')
      expect(choose()?.pick.expectedTokens).toBe(expected)
    },
  )

  it('gives a new replica cold prompts while the others are busy, and no more than its part of them', () => {
    const { send, balance, replicas } = sending()
    const warm = Array.from({ length: 20 }, (_, name) => ({ name, home: send(name) }))
    const pool = { ...declared, replicas: [...declared.replicas, 'http://new:8000/v1'] }
    const all = [...replicas, new Replica('http://new:8000/v1', { changed: () => {} })]
    const choose = (name: number) => {
      const chosen = balance.choose(pool, all, request(name), 4)
      if (!chosen) throw new Error('there are replicas')
      return chosen
    }
    for (const { name, home } of warm) expect(choose(name).replica).toBe(home)
    const counts = all.map(() => 0)
    for (let name = 100; name < 160; name++) {
      const { replica, pick } = choose(name)
      replica.takes(pick)
      balance.sent(pick, replica)
      const at = all.indexOf(replica)
      counts[at] = (counts[at] ?? 0) + 1
    }
    const part = 60 / all.length
    for (const count of counts) expect(Math.abs(count - part)).toBeLessThanOrEqual(0.25 * part)
  })
})

describe('two pools at the same replicas, such as a model and its adapter', () => {
  const pools = new Pools()
  const other = { ...declared, name: 'adapter', model: 'adapter' }
  const of = (some: Pool) => {
    const state = pools.of(some.name)
    const choose = (name: number) => {
      const chosen = state.balance.choose(some, state.replicas(some), request(name), 4)
      if (!chosen) throw new Error('there are replicas')
      return chosen
    }
    return { state, choose }
  }

  it('share the load of each, and none of the marks', () => {
    const [base, adapter] = [of(declared), of(other)]
    const { replica, pick } = base.choose(1)
    base.state.balance.sent(pick, replica)
    expect(base.choose(1).pick.expectedTokens).toBe(10_000)
    expect(adapter.choose(1).pick.expectedTokens).toBe(0)

    const before = adapter.choose(2).replica
    const same = base.state.replica(before.url)
    same.takes(pick)
    expect(adapter.choose(2).replica.url).not.toBe(before.url)
    same.computed(pick)
    same.frees(pick)
    expect(adapter.choose(2).replica.url).toBe(before.url)
  })
})
