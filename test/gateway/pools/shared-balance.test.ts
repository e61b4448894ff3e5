import { describe, expect, it } from 'vitest'
import type { BalanceNews } from '../../../src/gateway/balance/news.ts'
import type { BalancedRequest } from '../../../src/gateway/balance/pool-balance.ts'
import { Pools } from '../../../src/gateway/pools/pools.ts'
import { lessBusy } from '../../../src/gateway/pools/replica.ts'
import { cachesOf, SharedBalance } from '../../../src/gateway/pools/shared-balance.ts'
import type { Pool } from '../../../src/policy/config.ts'
import { config } from '../../policy/fixture.ts'
import { VirtualClock } from '../../support/clock.ts'
import { seeded } from '../../support/random.ts'

const some = [...config.pools.values()].find(({ replicas }) => replicas.length > 1)
if (!some) throw new Error('no pool has several replicas')
const POOL: Pool = { ...some, balance: 'prefix', replicas: ['http://a', 'http://b', 'http://c', 'http://d'] }
const MARK_BYTES = 4000

/** A prompt whose marks are those of its blocks, by name. */
function asking(blocks: readonly number[], account: number): BalancedRequest {
  const halves = (salt: number) => Array.from(blocks, block => Math.imul(block + 1, salt))
  const ends = Array.from(blocks, (_, at) => MARK_BYTES * (at + 1))
  const bytes = MARK_BYTES * blocks.length
  const sketch = { low: halves(7919), high: halves(104_729), ends, bytes, anchor: blocks[1] ?? 0 }
  return { sketch: () => sketch, domainIn: () => ({ low: account * 31 + 7, high: account + 11 }), session: () => 0 }
}

/** A replica that keeps the blocks it used last, as engines do. */
class Cache {
  readonly #blocks = new Map<string, true>()
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  /** Computes a prompt. Returns how many blocks at its beginning it had. */
  compute(keys: readonly string[]): number {
    const missing = keys.findIndex(key => !this.#blocks.has(key))
    for (const key of keys.toReversed()) {
      this.#blocks.delete(key)
      this.#blocks.set(key, true)
    }
    for (const key of this.#blocks.keys()) {
      if (this.#blocks.size <= this.#most) break
      this.#blocks.delete(key)
    }
    return missing < 0 ? keys.length : missing
  }
}

/** Processes of a gateway; what one says, all others hear. */
function processes(count: number, { isHeard = true, pool = POOL } = {}) {
  const clock = new VirtualClock(0)
  const said: BalanceNews[] = []
  const all = Array.from({ length: count }, (_, index) => {
    const pools = new Pools()
    const shared: SharedBalance = new SharedBalance({
      pools,
      clock,
      poolOf: name => (name === pool.name ? pool : undefined),
      say: news => {
        said.push(...news)
        for (const other of all) if (other.shared !== shared) other.shared.takeIn(`process ${index}`, news)
      },
      isHeard: () => isHeard,
    })
    return { shared, ...choosingIn(pools, pool) }
  })
  return { clock, said, all, at: (index: number) => existing(all[index]), tell: () => clock.advance(10) }
}

function choosingIn(pools: Pools, pool: Pool) {
  const state = pools.of(pool.name)
  const replicas = state.replicas(pool)
  const choose = (request: BalancedRequest) => existing(state.balance.choose(pool, replicas, request, 4))
  const send = (request: BalancedRequest) => {
    const chosen = choose(request)
    chosen.replica.takes(chosen.pick)
    state.balance.sent(chosen.pick, chosen.replica)
    return chosen
  }
  const end = ({ replica, pick }: ReturnType<typeof send>) => {
    replica.computed(pick)
    replica.frees(pick)
  }
  /** Sends a request that is soon over. */
  const ask = (request: BalancedRequest) => {
    const sent = send(request)
    end(sent)
    return sent
  }
  const expected = (request: BalancedRequest) => choose(request).pick.expectedTokens
  return { pools, state, replicas, choose, send, end, ask, expected }
}

function existing<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('there is none')
  return value
}

/** The share of prompt blocks that caches have, of dialogues whose turns reach a process by chance. */
function foundBy(count: number, isHeard = true): number {
  const { at, tell } = processes(count, { isHeard })
  const random = seeded(7)
  const caches = new Map(POOL.replicas.map(url => [url, new Cache(1500)]))
  const dialogues = Array.from({ length: 120 }, (_, number) => {
    const project = 1000 * Math.floor(12 * random() ** 2)
    return { account: number % 20, blocks: Array.from({ length: 12 }, (_, index) => project + index), number }
  })
  const running: (() => void)[] = []
  let [found, all] = [0, 0]
  for (let turn = 0; turn < 2400; turn++) {
    const { blocks, account, number } = existing(dialogues[Math.floor(random() * dialogues.length)])
    blocks.push(1_000_000 + number * 1000 + blocks.length)
    const process = at(Math.floor(random() * count))
    const sent = process.send(asking(blocks, account))
    found += existing(caches.get(sent.replica.url)).compute(blocks.map(block => `${account} ${block}`))
    all += blocks.length
    running.push(() => process.end(sent))
    if (running.length > RUNNING) running.shift()?.()
    tell()
  }
  return found / all
}

/** Requests that run at once. */
const RUNNING = 8

const [A = '', B = ''] = POOL.replicas
const PROMPT = asking([1, 2, 3, 4, 5], 1)
/** A load that sends every request elsewhere. */
const BUSY = { inFlight: 50, heldTokens: 900_000, owedTokens: 900_000 }
const newsOf = (more: Partial<BalanceNews>): BalanceNews => ({
  ...{ pool: POOL.name, replica: A, caches: cachesOf(POOL) },
  ...more,
})

describe('processes that share what they send', () => {
  it('find 98 % of what one process finds, where turns of a dialogue reach any of four', () => {
    const one = foundBy(1)
    const four = foundBy(4)
    expect(four).toBeGreaterThan(0.98 * one)
    expect(foundBy(4, false)).toBeLessThan(0.95 * four)
  })

  it('know within 10 ms where a prompt was sent, and tell each mark once', () => {
    const { at, tell, said } = processes(2)
    const { replica } = at(0).ask(PROMPT)
    tell()
    expect(at(1).choose(PROMPT)).toMatchObject({ replica: { url: replica.url }, pick: { expectedTokens: 5000 } })
    at(1).ask(PROMPT)
    tell()
    expect(said.filter(({ marks }) => marks !== undefined)).toHaveLength(1)
  })

  it('count what is under way in all of them, and nothing of a process that ended', () => {
    const { at, tell, all } = processes(3)
    const sent = at(0).send(PROMPT)
    tell()
    const elsewhere = (index: number) => {
      const { inFlight, heldTokens, owedTokens } = existing(
        at(index).replicas.find(({ url }) => url === sent.replica.url),
      ).elsewhere
      return { inFlight, heldTokens, owedTokens }
    }
    expect([elsewhere(1), elsewhere(2)]).toEqual(Array(2).fill({ inFlight: 1, heldTokens: 5000, owedTokens: 5000 }))
    expect(at(1).choose(asking([90, 91], 2)).replica.url).not.toBe(sent.replica.url)
    for (const { shared } of all) shared.gone('process 0')
    expect(elsewhere(1)).toEqual({ inFlight: 0, heldTokens: 0, owedTokens: 0 })
  })

  it('take the less busy of two by the requests of all of them', () => {
    const { at, tell } = processes(2, { pool: { ...POOL, balance: 'busy', replicas: [A, B] } })
    existing(at(0).replicas[0]).takes()
    tell()
    for (const chance of [0, 0.9]) expect(lessBusy(at(1).replicas, () => chance)?.url).toBe(B)
  })

  it('drop the load of a process that fell silent, and hear again of one that only lost its news', () => {
    const { at, tell, clock } = processes(2)
    at(1).shared.takeIn('lost', [newsOf({ load: BUSY })])
    const sent = at(0).send(PROMPT)
    tell()
    at(1).shared.gone('process 0')
    clock.advance(10_000)
    const busy = at(1).replicas.filter(({ elsewhere }) => elsewhere.inFlight > 0)
    expect(busy.map(({ url, elsewhere }) => [url, elsewhere.inFlight])).toEqual([[sent.replica.url, 1]])
  })

  it('forget a replica whose cache is gone, and keep what was sent there after that', () => {
    const { at, tell } = processes(2)
    const { replica } = at(0).ask(PROMPT)
    tell()
    at(0).state.balance.forget(replica)
    tell()
    expect(at(1).expected(PROMPT)).toBe(0)
    at(0).state.balance.forget(replica)
    at(0).ask(PROMPT)
    tell()
    expect(at(1).expected(PROMPT)).toBe(5000)
  })

  it('tell one that begins anew all marks of the prompts that are sent from then on', () => {
    const { at, tell } = processes(2)
    const { replica } = at(0).ask(PROMPT)
    tell()
    at(1).state.balance.adopt(POOL, replica.url, { isEmptied: true })
    at(0).ask(PROMPT)
    tell()
    expect(at(1).expected(PROMPT)).toBe(0)
    at(0).shared.welcome()
    at(0).ask(PROMPT)
    tell()
    expect(at(1).expected(PROMPT)).toBe(5000)
  })

  it('know of each conversation that stays at a pool with one replica, until it is served elsewhere', () => {
    const { at, tell, clock } = processes(2, { pool: { ...POOL, replicas: [A] } })
    const stays = () => [7, 8].map(key => at(1).pools.stays.has(key, clock.now()))
    at(0).pools.stay(POOL.name, { key: 7, time: 60_000 }, clock.now())
    tell()
    expect(stays()).toEqual([true, false])
    at(0).pools.stay(POOL.name, { key: 7, time: 0 }, clock.now())
    tell()
    expect(stays()).toEqual([false, false])
  })

  it('say nothing of a pool with one replica, nor while nobody hears it', () => {
    const lone = processes(2, { pool: { ...POOL, replicas: [A] } })
    existing(lone.at(0).replicas[0]).takes()
    const deaf = processes(2, { isHeard: false })
    deaf.at(0).send(PROMPT)
    for (const { tell, said } of [lone, deaf]) {
      tell()
      expect(said).toEqual([])
    }
  })
})

describe('news that is stale or hostile', () => {
  const marks = [{ domain: 5, halves: [1, 3, 5, 7] }]

  it.each([
    ['a pool that is not there', newsOf({ pool: 'unknown', marks, load: BUSY })],
    ['a replica that left', newsOf({ replica: 'http://gone', marks, load: BUSY })],
    ['another model', newsOf({ caches: cachesOf({ ...POOL, model: 'another' }), marks, load: BUSY })],
    ['other domains', newsOf({ caches: cachesOf({ ...POOL, caches: 'pool' }), marks, load: BUSY })],
  ])('of %s changes nothing, and makes no pool or replica known', (_name, news) => {
    const { at } = processes(1)
    at(0).shared.takeIn('other', [news])
    expect(at(0).state.known.map(({ url, elsewhere }) => [url, elsewhere.inFlight])).toEqual(
      POOL.replicas.map(url => [url, 0]),
    )
  })

  it('comes from so many sources at most', () => {
    const { at } = processes(1)
    for (let number = 0; number < 10_000; number++)
      at(0).shared.takeIn(`source ${number}`, [newsOf({ load: { inFlight: 1, heldTokens: 0, owedTokens: 0 } })])
    expect(at(0).replicas[0]?.elsewhere.inFlight).toBe(256)
  })

  it('pushes out no marks of other domains, however many marks it has', () => {
    const { at } = processes(1)
    at(0).ask(PROMPT)
    const random = seeded(3)
    for (let batch = 0; batch < 100; batch++) {
      const halves = Array.from({ length: 4000 }, () => (random() * 2 ** 32) | 0)
      at(0).shared.takeIn('hostile', [newsOf({ marks: [{ domain: 4711, halves }] })])
    }
    expect(at(0).expected(PROMPT)).toBe(5000)
  })
})
