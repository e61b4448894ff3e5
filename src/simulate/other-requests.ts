import type { Settings } from '../config/settings.ts'
import type { Pools } from '../gateway/pools/pools.ts'
import type { QueuedRequest } from '../gateway/pools/queue.ts'
import type { PoolState } from '../gateway/pools/state.ts'
import type { Client, Clock } from '../gateway/ports.ts'
import { requestOf } from '../gateway/upstream/any-turn.ts'
import { backendOf, type QueuedCall } from '../gateway/upstream/failover-ports.ts'
import type { Config, Plan, Pool } from '../policy/config.ts'
import { queueRankOf } from '../policy/queue/rank.ts'
import { callerOn, type PoolLoad, type RequestGroup, SENDER } from './scenario.ts'

/** The simulated request, to whose account and plan groups may refer. */
export interface Sender {
  readonly account: string
  readonly plan: Plan
  readonly queued: QueuedCall
}

/** The requests of others at one pool. */
interface OthersAt {
  readonly state: PoolState
  /** Those that have a slot, the one that had it first before the others. */
  readonly running: QueuedRequest[]
  readonly all: Set<QueuedRequest>
  /** How many got a slot from the queue. */
  started: number
}

/** The requests of others that use the slots of pools and wait in their queues, and who is next once a slot comes free. */
export class OtherRequests {
  readonly #config: Config
  readonly #settings: Settings
  readonly #pools: Pools
  readonly #sender: Sender
  readonly #at = new Map<Pool, OthersAt>()
  #accounts = 0

  constructor(
    { config, settings }: { readonly config: Config; readonly settings: Settings },
    pools: Pools,
    sender: Sender,
  ) {
    this.#config = config
    this.#settings = settings
    this.#pools = pools
    this.#sender = sender
  }

  /** Fills the slots of a pool, and then its queue. The check of the file refuses more than there is room for. */
  enter(pool: Pool, { inFlight, queued }: Pick<PoolLoad, 'inFlight' | 'queued'>): void {
    const at: OthersAt = { state: this.#pools.of(pool.name), running: [], all: new Set(), started: 0 }
    this.#at.set(pool, at)
    for (const request of this.#requestsOf(pool, inFlight)) this.#run(pool, at, request)
    for (const request of this.#requestsOf(pool, queued)) this.#wait(pool, at, request)
  }

  /** Whether the simulated request waits for a slot of the pool. */
  holdsUp(pool: Pool): boolean {
    const at = this.#at.get(pool)
    return at !== undefined && [...at.state.slots.fair.waiting].some(request => !at.all.has(request))
  }

  /**
   * Ends the requests that run, one at each pool in turn, until the simulated one has a slot. Returns the requests that got a
   * slot of the same pool before it; undefined where it does not wait.
   */
  endUntilServed(): number | undefined {
    const joined = [...this.#at].filter(([pool]) => this.holdsUp(pool))
    while (joined.length > 0) {
      for (const [pool, at] of joined) {
        const { slots } = at.state
        const oldest = at.running.shift()
        if (!oldest) throw new Error(`a request waits for ${pool.name}, where none runs`)
        slots.fair.end(oldest, oldest.tokens, STILL)
        slots.free(oldest)
        if (!this.holdsUp(pool)) return at.started
      }
    }
    return undefined
  }

  #run(pool: Pool, { state: { slots }, running, all }: OthersAt, request: QueuedRequest): void {
    if (!slots.takeNow(backendOf(this.#settings, pool))) throw new Error(`all slots of ${pool.name} are in use`)
    slots.fair.start(request)
    running.push(request)
    all.add(request)
  }

  #wait(pool: Pool, at: OthersAt, request: QueuedRequest): void {
    const { maxConcurrent = Number.POSITIVE_INFINITY, queue } = backendOf(this.#settings, pool)
    const { slots } = at.state
    if (!queue) throw new Error(`pool ${pool.name} has no queue`)
    const before = slots.waiting
    void slots.takeInTurn(request, { maxConcurrent, queue, time: Number.POSITIVE_INFINITY, ...FOREVER })
    if (slots.waiting === before) throw new Error(`the queue of ${pool.name} is full`)
    at.all.add(request)
    const { admit } = request
    request.admit = () => {
      admit()
      at.running.push(request)
      at.started++
    }
  }

  #requestsOf(pool: Pool, groups: readonly RequestGroup[]): readonly QueuedRequest[] {
    return groups.flatMap(group => Array.from({ length: group.requests }, () => this.#requestOf(pool, group)))
  }

  /** A request that is as long as the simulated one. */
  #requestOf(pool: Pool, { plan: named, org, account: name, bytes }: RequestGroup): QueuedRequest {
    const { account: own, plan: ownPlan, queued } = this.#sender
    const plan = named ?? ownPlan
    const owners = named === undefined && org === undefined ? queued.owners : { plan: plan.name, org }
    const rank = named === undefined ? queued : queueRankOf(plan, callerOn({ plan }, this.#config))
    const { priority, weight } = rank
    const account = name === SENDER ? own : name === undefined ? `other ${++this.#accounts}` : `account ${name}`
    const call: QueuedCall = { ...queued, priority, weight, owners, bodyBytes: bytes }
    return requestOf({ account, pools: this.#pools, queued: call }, pool, undefined)
  }
}

/** Nothing is ever due. */
const STILL: Clock = { now: () => 0, elapsed: () => 0, after: () => () => {} }
const STAYS: Client = { gone: false, wasCut: false, onGone: () => () => {} }
const FOREVER = { clock: STILL, client: STAYS }
