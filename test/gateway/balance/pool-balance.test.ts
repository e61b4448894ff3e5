import { describe, expect, it } from 'vitest'
import { TableBudget } from '../../../src/gateway/balance/mark-table.ts'
import { type BalancedRequest, PoolBalance } from '../../../src/gateway/balance/pool-balance.ts'
import { PoolState, Replica } from '../../../src/gateway/pools/pools.ts'
import { config } from '../../policy/fixture.ts'

const pool = [...config.pools.values()].find(({ replicas }) => replicas.length > 1)
if (!pool) throw new Error('no pool has several replicas')
const declared = { ...pool, balance: 'prefix' } as const

/** A request whose prompt has 10,000 tokens in ten marks. */
function request(name: number): BalancedRequest {
  const marks = (salt: number) => Int32Array.from({ length: 10 }, (_, at) => Math.imul(name * 64 + at + 1, salt))
  const ends = Int32Array.from({ length: 10 }, (_, at) => 4000 * (at + 1))
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

  it('begins anew with another model, and keeps what it knows over a reload that changes nothing of it', () => {
    const { send, balance, replicas } = sending()
    send(1)
    const known = (changed: object) =>
      balance.choose({ ...declared, ...changed }, replicas, request(1), 4)?.pick.expectedTokens
    expect(known({ site: 'elsewhere' })).toBe(10_000)
    expect(known({ model: 'another' })).toBe(0)
  })
})
