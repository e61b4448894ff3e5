import { CallerCache } from '../../gateway/store/caller-cache.ts'
import type { PoolBudgetAmend, PoolBudgetStore, PoolBudgetTake } from '../../gateway/store/pool-budget-store.ts'
import type { StoreRecord } from '../../gateway/store/record.ts'
import type { Store } from '../../gateway/store/store.ts'
import type { EpochMs } from '../../policy/config.ts'
import { type NanoUsd, nanoUsd } from '../../policy/nano-usd.ts'
import { BUCKET_MS, type BudgetSpan } from '../../policy/pool-budget.ts'
import { Access, type RedisStoreOptions } from './access.ts'
import { RedisAccounts } from './accounts.ts'
import { RedisKeys } from './api-keys.ts'
import { RedisArchive } from './archive.ts'
import { dumpRedis } from './backup/dump.ts'
import type { Server } from './client.ts'
import { RedisFleet } from './fleet.ts'
import { HoldEndings } from './hold-endings.ts'
import { RedisHolds } from './holds.ts'
import { RedisLabels } from './labels.ts'
import { POOLS } from './layout.ts'
import { RedisLedger } from './ledger.ts'
import { RedisLogins } from './logins.ts'
import { RedisNotices } from './notices.ts'
import { RedisOrgs } from './orgs.ts'
import { Repetition } from './repetition.ts'
import { RedisResponses } from './responses.ts'
import { RedisSeries } from './series.ts'
import type { Proven } from './servers/shards.ts'

/** Opens the store. Rejects with StoreUnavailable when Redis does not answer, with StoreRefused when it must not be used. */
export async function openRedisStore(options: RedisStoreOptions): Promise<RedisStore> {
  const store = new RedisStore(options)
  try {
    await store.open()
    return store
  } catch (error) {
    await store.close()
    throw error
  }
}

/** The store of many gateways: each change that can race with another is a script, atomic and on the clock of Redis. */
export class RedisStore implements Store {
  readonly keys: RedisKeys
  readonly accounts: RedisAccounts
  readonly orgs: RedisOrgs
  readonly holds: RedisHolds
  readonly ledger: RedisLedger
  readonly archive: RedisArchive
  readonly budgets: RedisPoolBudgets
  readonly responses: RedisResponses
  readonly fleet: RedisFleet
  readonly series: RedisSeries
  readonly notices: RedisNotices
  readonly logins: RedisLogins
  readonly labels: RedisLabels
  readonly #access: Access
  readonly #endings: HoldEndings
  readonly #repetition: Repetition | undefined

  constructor(options: RedisStoreOptions) {
    this.#access = new Access(options, {
      back: () => {
        this.#endings.drainSoon()
        this.#repetition?.goOn()
      },
      moved: async (slots, server, repeater) => this.#repetition?.moved(slots, server, repeater),
    })
    this.#endings = new HoldEndings(this.#access, options)
    const { journal } = this.#access
    if (journal) this.#repetition = new Repetition(this.#access, journal, options.alarm)
    const callers = new CallerCache(() => performance.now())
    this.orgs = new RedisOrgs(this.#access)
    this.accounts = new RedisAccounts(this.#access, this.orgs)
    this.keys = new RedisKeys(this.#access, this.accounts, this.orgs, callers)
    this.holds = new RedisHolds(this.#access, this.#endings, this.orgs, callers)
    this.ledger = new RedisLedger(this.#access)
    this.archive = new RedisArchive(this.#access)
    this.budgets = new RedisPoolBudgets(this.#access)
    this.responses = new RedisResponses(this.#access)
    this.fleet = new RedisFleet(this.#access)
    this.series = new RedisSeries(this.#access)
    this.notices = new RedisNotices(this.#access)
    this.logins = new RedisLogins(this.#access)
    this.labels = new RedisLabels(this.#access)
  }

  async open(): Promise<void> {
    await this.#access.open()
    // Entries that wait on this disk are acknowledged after those that an earlier process left.
    await this.#repetition?.open()
    this.#endings.drainSoon()
  }

  /** Proves another user, password or certificate; rejects where Redis does not accept it. */
  prove(server: Server): Promise<Proven> {
    return this.#access.prove(server)
  }

  proveWritable(): Promise<void> {
    return this.#access.proveWritable()
  }

  dump(): AsyncIterable<StoreRecord> {
    return dumpRedis(this.#access)
  }

  async close(): Promise<void> {
    await this.#endings.close()
    await this.#repetition?.close()
    this.#access.close()
  }
}

/** The budgets of pools, all in one bucket. */
class RedisPoolBudgets implements PoolBudgetStore {
  readonly #access: Access

  constructor(access: Access) {
    this.#access = access
  }

  /** A reservation whose answer came too late counts for its hour, since its effect is unknown. */
  async take({ pool, span, amount, limit }: PoolBudgetTake): Promise<EpochMs | undefined> {
    const [outcome, at] = await this.#run(pool, span, ['take', amount, limit])
    return outcome === 'take' ? Number(at) : undefined
  }

  async amend({ pool, span, at, difference }: PoolBudgetAmend): Promise<void> {
    await this.#run(pool, span, ['amend', difference, at])
  }

  async read(pool: string, span?: BudgetSpan): Promise<NanoUsd> {
    const [, cost] = await this.#run(pool, span, ['read', 0, 0])
    return nanoUsd(Number(cost))
  }

  #run(pool: string, span: BudgetSpan = 'hour', values: readonly (string | number)[]) {
    const keys = [this.#access.layout.pools.allowance(pool)]
    return this.#access.script(POOLS, 'allowance', keys, [...values, BUCKET_MS[span]])
  }
}
