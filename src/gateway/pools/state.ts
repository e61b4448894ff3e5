import type { EpochMs, Millis, Pool } from '../../policy/config.ts'
import { TYPICAL } from '../../policy/pace.ts'
import { leastOverload, type Overload, type Spill } from '../../policy/replica-load.ts'
import { TokenSurplus } from '../attempt/token-surplus.ts'
import { TableBudget } from '../balance/mark-table.ts'
import { PoolBalance } from '../balance/pool-balance.ts'
import { type Lesson, Lessons } from './lessons.ts'
import { isBroken, Replica, type ReplicaEvents } from './replica.ts'
import { type Share, SlidingCount } from './sliding-count.ts'
import { Slots } from './slots.ts'

/** Retries within ten seconds may be this share of the requests in that time; beyond it, RETRIES_AT_ONCE may run. */
const RETRY_SHARE = 0.2
const RETRIES_AT_ONCE = 3

/** This process's state of one pool. */
export class PoolState {
  readonly slots = new Slots()
  readonly surplus = new TokenSurplus()
  /** Lessons from refusals of its backends. */
  readonly lessons = new Lessons()
  readonly balance: PoolBalance
  readonly #replicas = new Map<string, Replica>()
  /** The URLs last passed to `replicas`. */
  #declared: readonly string[] = []
  #present: readonly Replica[] = []
  readonly #events: ReplicaEvents
  /** Requests to the pool; the marked ones are second attempts. */
  readonly #sent = new SlidingCount()
  #complaint: string | undefined
  /** Second attempts without an outcome yet. */
  retrying = 0
  /** Requests with a slot of the pool that wait for one at a replica. */
  seekingReplica = 0
  /** Whether an operator drained it. */
  drained = false
  /** As measured by this process since its start. */
  pace = TYPICAL

  constructor(events: ReplicaEvents, budget = new TableBudget()) {
    this.#events = events
    this.balance = new PoolBalance(budget, {
      marked: (url, marks) => events.marked?.(this.replica(url), marks),
      emptied: url => events.emptied?.(this.replica(url)),
      tellsAll: () => events.tellsAll?.() ?? false,
    })
  }

  /** The cause of the last alarm: why no replica of the pool could be used. */
  get complaint(): string | undefined {
    return this.#complaint
  }

  complain(cause: string | undefined): void {
    this.#complaint = cause
    this.#events.complained?.(cause)
  }

  /** Records that an account's request was refused for these fields, and served without them. */
  learn(account: string, lessons: readonly Lesson[], now: EpochMs): void {
    this.lessons.learn(account, lessons, now)
    this.#events.learned?.(account, lessons, now)
  }

  replica(url: string): Replica {
    let replica = this.#replicas.get(url)
    if (!replica) {
      const events: ReplicaEvents = {
        ...this.#events,
        changed: each => this.#changed(each),
        restarted: each => this.balance.forget(each),
      }
      replica = new Replica(url, events, this.#events.replicasAt?.(url))
      const lender = this.#events.lenderOf?.(url)
      if (lender) replica.slots.borrowFrom(lender)
      this.#replicas.set(url, replica)
    }
    return replica
  }

  /** A replica ejected for refused or reset connections has lost its cache. */
  #changed(replica: Replica): void {
    const { breaker, brokeOff, probed } = replica
    if (breaker.shared.isOpen && (brokeOff || isBroken(probed?.error ?? ''))) this.balance.forget(replica)
    replica.brokeOff = false
    this.#events.changed(replica)
  }

  /** All replicas that it ever had. */
  get known(): readonly Replica[] {
    return [...this.#replicas.values()]
  }

  /** The replicas that the pool declares now. */
  replicas({ replicas }: Pool): readonly Replica[] {
    if (replicas !== this.#declared) {
      this.#declared = replicas
      this.#present = replicas.map(url => this.replica(url))
    }
    return this.#present
  }

  /** Whether any replica can be used. */
  isUp(pool: Pool, now: EpochMs, patience: Millis, account?: string): boolean {
    return !this.drained && this.replicas(pool).some(replica => replica.isUsable(now, patience, account))
  }

  /** Why the pool is busy: all of its usable replicas are passed over. */
  overload(pool: Pool, spill: Spill, now: EpochMs, account?: string): Overload | undefined {
    if (this.drained) return undefined
    const usable = this.replicas(pool).filter(replica => replica.isUsable(now, 0, account))
    return leastOverload(usable.map(replica => replica.overload(spill, now)))
  }

  /** Recent requests to the pool; the marked ones are second attempts. */
  sent(now: EpochMs): Share {
    return this.#sent.share(now)
  }

  /** Why no request is sent here, for the log. */
  whyUnusable(pool: Pool, now: EpochMs, account?: string): 'drained' | 'paused' | 'ejected' {
    const replicas = this.replicas(pool)
    if (this.drained || replicas.every(({ drained }) => drained)) return 'drained'
    return replicas.some(replica => replica.cooling(now, account) > 0) ? 'paused' : 'ejected'
  }

  /** Counts an attempt; false for a retry when there were too many recently. */
  allows(isRetry: boolean, now: EpochMs): boolean {
    if (isRetry && this.retrying >= RETRIES_AT_ONCE) {
      const { all, marked } = this.#sent.share(now)
      if (marked >= Math.floor(all * RETRY_SHARE)) return false
    }
    this.#sent.add(now, isRetry ? 0 : 1, isRetry ? 1 : 0)
    return true
  }
}
