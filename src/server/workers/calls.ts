import type { Examined } from '../../config/load.ts'
import type { BalanceNews } from '../../gateway/balance/news.ts'
import type { HealthVerdict } from '../../gateway/health/check.ts'
import type { ComparedOutcome } from '../../gateway/pools/pools.ts'
import type { RecentAlarm } from '../../gateway/recent-alarms.ts'
import type { RecentOf } from '../../gateway/recent-requests.ts'
import type { Millis } from '../../policy/config.ts'
import type { RequestEnd } from '../../wire/admin/event.ts'
import type { ShownPool } from '../../wire/admin/pool.ts'
import type { DrainTimes } from '../drain.ts'
import type { SourcedNews } from './balance-relay.ts'
import type { ClientCounts } from './client-counts.ts'
import type { Passed } from './passed-feed.ts'
import type { ReplicaNews } from './pool-news.ts'
import type { ProcessMetrics } from './vitals.ts'

/** The calls that main makes to a worker. */
export type WorkerCalls = {
  /** Opens the store and serves a configuration. Resolves once it may be handed connections. */
  start(task: WorkerTask): Promise<void>
  /** Opens a configuration, and serves what served before. Resolves with its fingerprint. */
  prepare(attempt: number, generation: number, examined: Examined): Promise<string>
  /** Serves the prepared configuration. Rejects if it cannot. */
  commit(attempt: number): Promise<void>
  /** Releases a configuration that is prepared, or being prepared. */
  abort(attempt: number): void
  /** The worker's counts, and the health of its process. */
  metrics(): Promise<ProcessMetrics>
  /** The newest requests that it remembers: of all, or of an account. */
  recent(account: string | undefined): RecentOf
  find(requestId: string): RequestEnd | undefined
  /** Whether an operator follows the feed. */
  follow(isFollowed: boolean): void
  /** Requests of clients that the others have running. */
  elsewhere(others: ClientCounts): void
  /** The pools as it knows them. */
  pools(): readonly ShownPool[]
  /** News of a replica, from another worker or main. */
  news(news: ReplicaNews): void
  /** The news of other workers and gateways: prompts that they sent to replicas, and their load there. */
  takeBalance(news: readonly SourcedNews[]): void
  /** A worker ended; another one takes its place. */
  lostBalance(source: string): void
  /** Another gateway began, which does not know what is cached. */
  welcome(): void
  /** It may have so many more requests at once in a pool, or at a replica of one: `pool`, or `pool url`. */
  lend(where: string, places: number): void
  /** Others want places there, or a copy does: what it does not use it gives back. */
  recall(where: string, forCopy: boolean): void
  /** Tells balancers to send no more clients. */
  unready(): void
  /** It has so many connections too many; `withStreams`: those that begin a stream may end with it. */
  release(count: number, withStreams: boolean): void
  /** Leaves. Resolves with whether all was written. */
  drain(times: DrainTimes): Promise<boolean>
  cut(): void
  /** Resolves once it has said which connections it got before. */
  ping(): Promise<void>
}

/** The calls that a worker makes to main. */
export type MainCalls = {
  /** It can be asked from now on: what is said to a process of cluster before is lost. */
  born(): void
  passed(passed: Passed): void
  /** It has these connections, by their numbers. */
  taken(numbers: readonly number[]): void
  /** This many connections from these addresses are closed. */
  closed(addresses: readonly string[]): void
  /** This many of its connections are idle. */
  idle(count: number): void
  clients(counts: ClientCounts): void
  /** An account's requests that all workers remember. */
  recentOf(account: string): Promise<RecentOf>
  alarmed(alarm: RecentAlarm): void
  news(news: ReplicaNews): void
  /** Requests that ended at pools which canaries are compared at. */
  compared(outcomes: readonly ComparedOutcome[]): void
  /** The prompts that it sent to replicas in the last moment, and its load there. */
  balanced(news: readonly BalanceNews[]): void
  /** Requests so many more slots of a pool, out of its total. Free slots are leased before the answer. */
  want(where: string, places: number, most: number): void
  /** Requests a slot for a copy that no request uses. A free slot is leased before the answer. */
  wantSpare(where: string, most: number): void
  giveBack(where: string, places: number, wanted: number): void
  /** It wants to check a replica. Resolves with undefined where it is to run the check, and else with another worker's verdict. */
  claimCheck(check: string): Promise<HealthVerdict | undefined>
  foundVerdict(check: string, verdict: HealthVerdict): void
  counted(metrics: ProcessMetrics): void
}

/** All that a worker needs to begin. */
export interface WorkerTask {
  readonly slot: number
  readonly workers: number
  readonly examined: Examined
  readonly generation: number
  /** The socket of the process that has the store; absent where the store is Redis. */
  readonly socket?: string
  /** How main is called. */
  readonly gateway: string
  readonly adminToken: string
  readonly news: readonly ReplicaNews[]
  /** Whether an operator follows the feed. */
  readonly isFollowed: boolean
}

/** How long main waits for a worker to prepare a configuration. */
export const PREPARE_MS: Millis = 10_000
