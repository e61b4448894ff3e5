import { randomBytes } from 'node:crypto'
import type { EpochMs, Millis, Pool } from '../../policy/config.ts'
import type { BusyPool, Spill } from '../../policy/replica-load.ts'
import type { PoolOutcome } from '../../policy/traffic/canary.ts'
import { CacheDomains } from '../balance/cache-domains.ts'
import { TableBudget } from '../balance/mark-table.ts'
import type { DomainMarks } from '../balance/news.ts'
import type { Cancel } from '../ports.ts'
import type { DrainedPlace } from '../store/fleet-store.ts'
import type { Ejection } from './breaker.ts'
import type { Replica, ReplicaEvents } from './replica.ts'
import type { Lender } from './slots.ts'
import { PoolState } from './state.ts'
import { type Stay, Stays } from './stays.ts'

/** A request as it ended at one pool, for the canaries of its model. */
export interface ComparedOutcome extends PoolOutcome {
  readonly model: string
  readonly pool: string
  /** Set if the request was not sent because every replica was ejected: when the last one was. */
  readonly ejectedAt?: EpochMs
}

/** Called when a replica is ejected or readmitted. */
export type ReplicaChanged = (pool: string, replica: Replica) => void

/** Shares what this process learns about pools. */
export interface Sharing {
  readonly moved: (pool: string, replica: Replica) => void
  readonly paused: (pool: string, ...how: Parameters<NonNullable<ReplicaEvents['paused']>>) => void
  readonly drained: (pool: string, replica: Replica | undefined, drained: boolean) => void
  readonly complained: (pool: string, cause: string | undefined) => void
  readonly learned: (pool: string, ...how: Parameters<NonNullable<ReplicaEvents['learned']>>) => void
  readonly reported: (pool: string, ...what: Parameters<NonNullable<ReplicaEvents['reported']>>) => void
  readonly gotFirstToken: (pool: string, ...what: Parameters<NonNullable<ReplicaEvents['gotFirstToken']>>) => void
  /** Lends slots of a pool or a replica; without a lender, all slots belong to this process. */
  readonly lenderOf?: (pool: string, replica?: string) => Lender
}

/** Shares this process's load at replicas, and its knowledge of their caches, with other processes and gateways. */
export interface BalanceSharing {
  readonly loaded: (pool: string, replica: Replica) => void
  readonly marked: (pool: string, replica: Replica, marks: DomainMarks) => void
  readonly emptied: (pool: string, replica: Replica) => void
  readonly tellsAll: () => boolean
  /** A conversation sticks to a pool, or no longer does. */
  readonly stayed: (pool: string, stay: Stay) => void
}

/** This process's state of every pool. It outlives the configuration; other processes have states of their own. */
export class Pools {
  /** The owners of cached prefixes. Until the store provides the seed of all gateways, this process uses its own. */
  readonly domains = new CacheDomains(randomBytes(32).toString('base64url'))
  readonly stays = new Stays()
  readonly #states = new Map<string, PoolState>()
  /** The replicas of all pools, by URL. */
  readonly #replicas = new Map<string, Replica[]>()
  readonly #budget = new TableBudget()
  readonly #changed: ReplicaChanged
  #sharing: Sharing | undefined
  #balanceSharing: BalanceSharing | undefined
  #hearOutcome: (outcome: ComparedOutcome) => void = () => {}
  /** Callbacks for when a pool or a replica may be used again. */
  readonly #waiting = new Set<() => void>()

  constructor(changed: ReplicaChanged = () => {}) {
    this.#changed = changed
  }

  /** Drains or undrains a pool or one of its replicas. Returns whether that is a change. */
  drain(pool: string, replica: Replica | undefined, drained: boolean): boolean {
    const place = replica ?? this.of(pool)
    if (place.drained === drained) return false
    place.drained = drained
    if (drained && !replica) this.of(pool).slots.dismiss()
    this.#sharing?.drained(pool, replica, drained)
    if (!drained) this.#isUsable()
    return true
  }

  /** Calls `run` whenever a pool or a replica may be used again, until the result is called. */
  whenUsable(run: () => void): Cancel {
    this.#waiting.add(run)
    return () => this.#waiting.delete(run)
  }

  #isUsable(): void {
    for (const run of [...this.#waiting]) run()
  }

  /** Shares the pools with other processes. Call it before the first use of a pool. */
  share(sharing: Sharing): void {
    this.#sharing = sharing
  }

  /** Calls `hear` for each request at a pool that a canary of its model is compared at. */
  followOutcomes(hear: (outcome: ComparedOutcome) => void): void {
    this.#hearOutcome = hear
  }

  /** A request ended at a pool that a canary is compared at. */
  compared(outcome: ComparedOutcome): void {
    this.#hearOutcome(outcome)
  }

  /** Shares the balance with other processes that send to the same replicas. */
  shareBalance(sharing: BalanceSharing): void {
    this.#balanceSharing = sharing
  }

  /** Records which pool served a conversation. */
  stay(pool: string, stay: Stay, now: EpochMs): void {
    if (this.stays.set(stay, now)) this.#balanceSharing?.stayed(pool, stay)
  }

  /** A pool's slots are no longer leased from the store: another process lends them, or all belong to this process. */
  lendAsBefore(name: string): void {
    const lender = this.#sharing?.lenderOf?.(name)
    const { slots } = this.of(name)
    if (lender) slots.borrowFrom(lender)
    else slots.own()
  }

  of(name: string): PoolState {
    let state = this.#states.get(name)
    if (!state) {
      state = new PoolState(
        {
          changed: replica => {
            this.#changed(name, replica)
            if (!replica.breaker.shared.isOpen) this.#isUsable()
          },
          moved: replica => this.#sharing?.moved(name, replica),
          paused: (replica, ...how) => this.#sharing?.paused(name, replica, ...how),
          complained: cause => this.#sharing?.complained(name, cause),
          learned: (...how) => this.#sharing?.learned(name, ...how),
          reported: (...what) => this.#sharing?.reported(name, ...what),
          lenderOf: replica => this.#sharing?.lenderOf?.(name, replica),
          gotFirstToken: (...what) => this.#sharing?.gotFirstToken(name, ...what),
          loaded: replica => this.#balanceSharing?.loaded(name, replica),
          marked: (...what) => this.#balanceSharing?.marked(name, ...what),
          emptied: replica => this.#balanceSharing?.emptied(name, replica),
          tellsAll: () => this.#balanceSharing?.tellsAll() ?? false,
          replicasAt: url => this.#replicasAt(url),
        },
        this.#budget,
      )
      const lender = this.#sharing?.lenderOf?.(name)
      if (lender) state.slots.borrowFrom(lender)
      this.#states.set(name, state)
    }
    return state
  }

  #replicasAt(url: string): Replica[] {
    const known = this.#replicas.get(url) ?? []
    this.#replicas.set(url, known)
    return known
  }

  /** Drains exactly these pools and replicas. Returns the names of changed pools. */
  follow(places: readonly DrainedPlace[]): readonly string[] {
    for (const { pool, replica } of places) {
      const state = this.of(pool)
      if (replica !== undefined) state.replica(replica)
    }
    return [...this.#states].flatMap(([name, state]) => {
      const isDrained = (url?: string) => places.some(({ pool, replica }) => pool === name && replica === url)
      const changes = [undefined, ...state.known].filter(each => this.drain(name, each, isDrained(each?.url)))
      return changes.length > 0 ? [name] : []
    })
  }

  /** Names of the pools without one replica that may serve an account; `patienceOf` is what a pool waits for a pause to end. */
  down(pools: Iterable<Pool>, now: EpochMs, patienceOf: (pool: string) => Millis, account?: string): string[] {
    const down: string[] = []
    for (const pool of pools) {
      if (!this.of(pool.name).isUp(pool, now, patienceOf(pool.name), account)) down.push(pool.name)
    }
    return down
  }

  /** The pools that are busy, each with the reason; `spillOf` is when a pool's replicas are passed over. */
  busy(
    pools: Iterable<Pool>,
    now: EpochMs,
    spillOf: (pool: string) => Spill | undefined,
    account?: string,
  ): readonly BusyPool[] {
    const busy: BusyPool[] = []
    for (const pool of pools) {
      const spill = spillOf(pool.name)
      if (spill?.waitingOver === undefined && spill?.firstTokenOver === undefined) continue
      const overload = this.of(pool.name).overload(pool, spill, now, account)
      if (overload) busy.push({ pool: pool.name, ...overload })
    }
    return busy
  }

  /** Every pool used so far, by name. */
  get known(): ReadonlyMap<string, PoolState> {
    return this.#states
  }

  /** Counts a failure against every replica of the pool. */
  failed(pool: Pool, now: EpochMs, ejection: Ejection): void {
    for (const { breaker } of this.of(pool.name).replicas(pool)) breaker.failed(now, ejection)
  }
}
