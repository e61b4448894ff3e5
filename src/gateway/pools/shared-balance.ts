import { digest32 } from '../../policy/balance/rendezvous.ts'
import type { Millis, Pool } from '../../policy/config.ts'
import { type BalanceNews, type CachePlace, NewsOutbox } from '../balance/news.ts'
import type { Cancel, Clock } from '../ports.ts'
import type { BalanceSharing, Pools } from './pools.ts'
import type { Replica } from './replica.ts'
import type { Stay } from './stays.ts'

export interface SharedBalancePorts {
  readonly pools: Pools
  readonly clock: Clock
  /** A pool as it is declared now; undefined where there is none by that name. */
  readonly poolOf: (name: string) => Pool | undefined
  /** Passes on what this process did in the last moment. */
  readonly say: (news: readonly BalanceNews[]) => void
  /** Whether anybody hears it. */
  readonly isHeard: () => boolean
  /** Whether this process takes in what another one found: all others find that too. */
  readonly isTakingIn?: () => boolean
}

/** A process or gateway that was heard of. */
interface Source {
  at: Millis
  /** Replicas at which it has requests under way. */
  readonly replicas: Set<Replica>
}

/**
 * Shares with other processes which prompts were sent to which replica, and what is under way there. Passes on what happens
 * here a few milliseconds later, and takes in what happens elsewhere without passing that on.
 */
export class SharedBalance implements BalanceSharing {
  readonly #ports: SharedBalancePorts
  readonly #outbox = new NewsOutbox(MOST_MARKS)
  readonly #sources = new Map<string, Source>()
  #isGathering = false
  #tellsAllUntil: Millis = 0
  #cancelBeat: Cancel | undefined

  constructor(ports: SharedBalancePorts) {
    this.#ports = ports
    ports.pools.shareBalance(this)
  }

  loaded(pool: string, replica: Replica): void {
    const place = this.#place(pool, replica)
    if (!place) return
    this.#outbox.loaded(replica, place, () => loadOf(replica))
    this.#passSoon()
  }

  marked(pool: string, replica: Replica, marks: Parameters<BalanceSharing['marked']>[2]): void {
    const place = this.#place(pool, replica)
    if (!place) return
    this.#outbox.marked(replica, place, marks)
    this.#passSoon()
  }

  stayed(name: string, stay: Stay): void {
    const pool = this.#ports.isHeard() ? this.#ports.poolOf(name) : undefined
    if (!pool) return
    this.#outbox.stayed(name, () => ({ pool: name, replica: '', caches: cachesOf(pool) }), stay)
    this.#passSoon()
  }

  emptied(pool: string, replica: Replica): void {
    const place = this.#place(pool, replica)
    if (!place || this.#ports.isTakingIn?.()) return
    this.#outbox.emptied(replica, place)
    this.#passSoon()
  }

  tellsAll(): boolean {
    return this.#tellsAllUntil > 0 && this.#ports.clock.elapsed() < this.#tellsAllUntil
  }

  /** Somebody begins who knows nothing: for a while all marks of a prompt are told, not new ones alone. */
  welcome(): void {
    this.#tellsAllUntil = this.#ports.clock.elapsed() + WELCOME
  }

  /** Takes in what a process or gateway did. News of pools and replicas that this process does not have is ignored. */
  takeIn(source: string, news: readonly BalanceNews[]): void {
    const from = this.#heardOf(source)
    if (!from) return
    const { pools, poolOf, clock } = this.#ports
    for (const each of news) {
      const pool = poolOf(each.pool)
      if (!pool) continue
      for (const stay of each.stays ?? []) pools.stays.set(stay, clock.now())
      if (isOfReplica(each, pool)) this.#adopt(source, from, each, pool)
    }
  }

  #adopt(source: string, from: Source, news: BalanceNews, pool: Pool): void {
    const state = this.#ports.pools.of(pool.name)
    if (news.load) {
      const replica = state.replica(news.replica)
      replica.elsewhere.set(source, news.load)
      from.replicas.add(replica)
    }
    if (pool.balance !== 'busy') state.balance.adopt(pool, news.replica, news)
  }

  /** A process or gateway ended, and with it what it had under way. */
  gone(source: string): void {
    const { replicas = [] } = this.#sources.get(source) ?? {}
    for (const { elsewhere } of replicas) elsewhere.delete(source)
    this.#sources.delete(source)
  }

  stop(): void {
    this.#cancelBeat?.()
  }

  /** Where news belongs; undefined where no other process chooses among these replicas, or nobody hears it. */
  #place(name: string, { url }: Replica): (() => CachePlace) | undefined {
    if (!this.#ports.isHeard()) return undefined
    const pool = this.#ports.poolOf(name)
    if (!pool || pool.replicas.length < 2) return undefined
    return () => ({ pool: name, replica: url, caches: cachesOf(pool) })
  }

  #heardOf(source: string): Source | undefined {
    const at = this.#ports.clock.elapsed()
    const known = this.#sources.get(source)
    if (known) {
      known.at = at
      return known
    }
    if (this.#sources.size >= MOST_SOURCES) return undefined
    const from = { at, replicas: new Set<Replica>() }
    this.#sources.set(source, from)
    this.#beatLater()
    return from
  }

  #passSoon(): void {
    if (this.#isGathering) return
    this.#isGathering = true
    this.#ports.clock.after(GATHERED, () => {
      this.#isGathering = false
      this.#ports.say(this.#outbox.take())
    })
    this.#beatLater()
  }

  /** While anything is under way here or elsewhere. */
  #beatLater(): void {
    this.#cancelBeat ??= this.#ports.clock.after(BEAT, () => {
      this.#cancelBeat = undefined
      this.#beat()
      if (this.#sources.size > 0) this.#beatLater()
    })
  }

  /** Repeats what is under way, in case that was lost, and drops sources that do not. */
  #beat(): void {
    const now = this.#ports.clock.elapsed()
    for (const [source, { at }] of this.#sources) if (now - at > SILENCE) this.gone(source)
    for (const [name, state] of this.#ports.pools.known) {
      for (const replica of state.known) if (replica.inFlight > 0) this.loaded(name, replica)
    }
  }
}

/** Whether the pool, as it is declared here, chooses among replicas of which this is one. */
const isOfReplica = ({ replica, caches }: BalanceNews, pool: Pool): boolean =>
  pool.replicas.length > 1 && cachesOf(pool) === caches && pool.replicas.includes(replica)

const loadOf = ({ inFlight, heldTokens, owedTokens }: Replica) => ({ inFlight, heldTokens, owedTokens })

const digests = new WeakMap<Pool, number>()

/** A digest of what the caches of a pool depend on. */
export function cachesOf(pool: Pool): number {
  const known = digests.get(pool)
  if (known !== undefined) return known
  const digest = digest32(`${pool.model}\n${pool.caches}`)
  digests.set(pool, digest)
  return digest
}

/** How long news is gathered: with as long in main, workers know within 10 ms. */
const GATHERED: Millis = 4
/** Marks that are passed on at once: 128 KB. */
const MOST_MARKS = 16_384
/** How often what is under way is told again, and how long it counts without that. */
const BEAT: Millis = 1000
const SILENCE: Millis = 3500
/** Other processes and gateways whose load is known at once. */
const MOST_SOURCES = 256
const WELCOME: Millis = 120_000
