import fc from 'fast-check'
import { expect, it } from 'vitest'
import { openRedisStore } from '../../../../src/adapters/redis/store.ts'
import type { Admission, Admitted, Settlement } from '../../../../src/gateway/store/hold-store.ts'
import type { Store } from '../../../../src/gateway/store/store.ts'
import type { EpochMs } from '../../../../src/policy/config.ts'
import type { Hold } from '../../../../src/policy/counters/account-counters.ts'
import type { Claims } from '../../../../src/policy/decision.ts'
import type { CounterName } from '../../../../src/policy/limits/rule-claim.ts'
import { nanoUsd } from '../../../../src/policy/nano-usd.ts'
import { redisCommand } from '../../../support/redis/command.ts'
import { describeRedis, type RedisServer, useRedis } from '../../../support/redis/redis.ts'
import { times } from '../../../support/times.ts'
import { begunOf, type RuleSpec, ruleClaims, specs } from '../aspects/limits/rule-tables.ts'
import { newDirectory } from '../directory.ts'
import { admission, type Clock, claimsOf, clockAt, openShop, type Shop, settlement } from '../fixtures.ts'

/** An hour before a month ends, so that holds of one month end in the next. */
const BEGIN: EpochMs = Date.UTC(2025, 5, 30, 23)
const HOUR = 3_600_000

/** A request of one of two accounts, with limits that few or many requests fit into. */
interface Ask {
  readonly side: number
  readonly rpm: number
  readonly tpm: number
  readonly perDay: number
  readonly maxConcurrent: number
  readonly input: number
}

interface End {
  readonly pick: number
  readonly percent: number
  readonly isRefund: boolean
}

/** One turn of the event loop, before the clock goes on. */
type Turn =
  | { readonly admit: readonly Ask[]; readonly rules: readonly RuleSpec[]; readonly wait: number }
  | { readonly end: readonly End[]; readonly ofRules: boolean; readonly wait: number }

const wait = fc.oneof(
  fc.constantFrom(0, 0, 999, 60_000, 61_000, -121_000),
  fc.integer({ min: 0, max: 20_000 }),
  fc.integer({ min: 0, max: 2 * HOUR }),
)
const turn: fc.Arbitrary<Turn> = fc.oneof(
  fc.record({
    admit: fc.array(
      fc.record({
        side: fc.nat(1),
        rpm: fc.integer({ min: 1, max: 60 }),
        tpm: fc.integer({ min: 50, max: 2000 }),
        perDay: fc.integer({ min: 1, max: 100 }),
        maxConcurrent: fc.integer({ min: 1, max: 50 }),
        input: fc.nat(30),
      }),
      { minLength: 1, maxLength: 40, size: 'max' },
    ),
    rules: specs,
    wait,
  }),
  fc.record({
    end: fc.array(fc.record({ pick: fc.nat(99), percent: fc.integer({ min: 0, max: 140 }), isRefund: fc.boolean() }), {
      minLength: 1,
      maxLength: 40,
      size: 'max',
    }),
    ofRules: fc.boolean(),
    wait,
  }),
)

describeRedis('calls of one turn', () => {
  const server = useRedis()

  it('are answered, and leave every byte in Redis, as if each were made alone', async () => {
    let sequences = 0
    const property = fc.asyncProperty(fc.array(turn, { minLength: 2, maxLength: 12 }), async turns => {
      const clock = clockAt(BEGIN)
      const prefixes = [`together${sequences}`, `alone${sequences++}`] as const
      const [together, alone] = await Promise.all(prefixes.map(prefix => World.open(server(), prefix, clock)))
      if (!together || !alone) throw new Error('both opened')
      for (const turn of turns) {
        const asked = together.callsOf(turn)
        const ones: unknown[] = []
        for (const call of alone.callsOf(turn)) ones.push(await call())
        expect(await Promise.all(asked.map(call => call()))).toEqual(ones)
        await Promise.all([together.beginMissing(), alone.beginMissing()])
        clock.at += turn.wait
      }
      expect(await together.everything()).toEqual(await alone.everything())
      await Promise.all([together.close(), alone.close()])
    })
    await fc.assert(property, { numRuns: times(200, 12) })
  })
})

class World {
  readonly #server: RedisServer
  readonly #prefix: string
  readonly #clock: Clock
  readonly #store: Store
  readonly #shops: readonly Shop[]
  readonly #open: Hold[] = []
  readonly #ended: Hold[] = []
  readonly #missing: { readonly account: string; readonly counters: readonly CounterName[] }[] = []
  #asked = 0

  private constructor(server: RedisServer, prefix: string, clock: Clock, store: Store, shops: readonly Shop[]) {
    this.#server = server
    this.#prefix = prefix
    this.#clock = clock
    this.#store = store
    this.#shops = shops
  }

  static async open(server: RedisServer, prefix: string, clock: Clock): Promise<World> {
    const stateDir = await newDirectory()
    const store = await openRedisStore({ url: server.url, prefix, stateDir, alarm: () => {}, now: clock.now })
    return new World(server, prefix, clock, store, [await openShop(store, 'one'), await openShop(store, 'two')])
  }

  /** The calls of a turn, each of which resolves to its answer. */
  callsOf(turn: Turn): (() => Promise<unknown>)[] {
    if ('admit' in turn)
      return turn.admit.map(ask => this.#admission(ask, turn.rules)).map(one => () => this.#admit(one))
    const open = this.#open.filter(hold => (hold.rules !== undefined) === turn.ofRules)
    // Some end twice, or end again what ended in an earlier turn.
    const holds = [...open, ...this.#ended.filter(hold => (hold.rules !== undefined) === turn.ofRules).slice(-2)]
    return turn.end.flatMap(({ pick, percent, isRefund }) => {
      const hold = holds[pick % Math.max(1, holds.length)]
      if (!hold) return []
      return [() => this.#end(hold, isRefund ? undefined : settlementOf(hold, percent))]
    })
  }

  async #admit(asked: Admission): Promise<Admitted> {
    const answer = await this.#store.holds.admit(asked)
    if ('hold' in answer) this.#open.push(answer.hold)
    if ('counters' in answer) this.#missing.push({ account: asked.account, counters: answer.counters })
    return answer
  }

  /** Begins the counters of limits that a turn met for the first time. */
  async beginMissing(): Promise<void> {
    for (const { account, counters } of this.#missing.splice(0))
      await this.#store.holds.beginCounters(account, begunOf(counters, 3, this.#clock.at))
  }

  async #end(hold: Hold, settled: Settlement | undefined): Promise<void> {
    const at = this.#open.indexOf(hold)
    if (at >= 0) this.#ended.push(...this.#open.splice(at, 1))
    await (settled ? this.#store.holds.settle(settled) : this.#store.holds.refund(hold))
  }

  #admission({ side, ...limits }: Ask, rules: readonly RuleSpec[]): Admission {
    const shop = this.#shops[side]
    if (!shop) throw new Error('there are two shops')
    const claimed = ruleClaims(rules, 'shared', (_claim, room) => (room === undefined ? 1e15 : 20 + room))
    const claims: Claims = {
      ...claimsOf({ ...limits, want: 20, min: 2, limit: 1e15, at: this.#clock.at }),
      ...(claimed.length > 0 && { rules: claimed }),
    }
    return admission(shop, `req_${String(this.#asked++).padStart(4, '0')}`, claims)
  }

  /** All records but what names this store alone, by their names. */
  async everything(): Promise<ReadonlyMap<string, unknown>> {
    const ask = (...words: string[]) => redisCommand(this.#server, ...words)
    const keys = (await ask('KEYS', `${this.#prefix}:*`)) as string[]
    const kept = keys.filter(key => !/:(epoch|meta|mint-secret)$/.test(key)).sort()
    const records = kept.map(async key => {
      const type = await ask('TYPE', key)
      const read = {
        hash: ['HGETALL', key],
        zset: ['ZRANGE', key, '0', '-1', 'WITHSCORES'],
        string: ['GET', key],
      }[String(type)]
      const value = await (read ? ask(...read) : type)
      return [key.slice(this.#prefix.length), type === 'hash' ? pairsOf(value as string[]) : value] as const
    })
    return new Map(await Promise.all(records))
  }

  close(): Promise<void> {
    return this.#store.close()
  }
}

/** Redis keeps the fields of a hash in the order in which they came. */
function pairsOf(flat: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    flat
      .flatMap((name, at) => (at % 2 === 0 ? [[name, flat[at + 1] ?? ''] as const] : []))
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  )
}

function settlementOf(hold: Hold, percent: number): Settlement {
  const part = (whole: number) => Math.floor((whole * percent) / 100)
  return settlement(hold, { tokens: part(hold.tokens), cost: nanoUsd(part(hold.cost)) })
}
