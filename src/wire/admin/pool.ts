import type { EpochMs, Pool } from '../../policy/config.ts'
import type { NanoUsd } from '../../policy/nano-usd.ts'
import { type Overload, overloadText, type Spill } from '../../policy/replica-load.ts'
import { usdText } from '../money.ts'
import { fixed, flag, list, optional, orNull, record, type TypeOf, text, whole } from '../schema/schema.ts'
import { addedCaching, CACHING, type FoundTokens, shownCaching } from './pool-caching.ts'
import { addedCopies, COPIES, type KnownCopies, shownCopies } from './pool-copies.ts'
import { addedLessons, type KnownLesson, LESSON, shownLessons } from './pool-lessons.ts'
import { addedQueues, QUEUE, type QueueReading, shownQueue } from './pool-queue.ts'
import { addedReplicas, REPLICA, type ReplicaReading, shownReplicas } from './pool-replica.ts'
import { type KnownShare, SHARE, shownShare } from './pool-shares.ts'

const POOL_FIELDS = {
  pool: text(),
  // Gateways before 0.2 do not send it.
  declared: optional(text('Where the files declare it, such as `policies/pools.yaml:12`.')),
  site: text(),
  model: text("The backends' name for the model."),
  models: list(text(), "The gateway's models that it serves."),
  shares: optional(list(SHARE, 'The models that send it a share of their conversations; absent if there are none.')),
  copies: optional(list(COPIES, 'The models whose mirror it is; absent if there are none.')),
  drained: flag('Whether an operator drained it.'),
  in_flight: whole(),
  waiting: whole('Requests waiting for a slot.'),
  queue: optional(QUEUE),
  max_concurrent: orNull(whole()),
  in_flight_over_store: optional(
    whole(
      'Slots in use across all gateways on the store, as the store last reported; until it reports, those of this gateway. Absent if `max_concurrent` applies to each gateway.',
    ),
  ),
  max_concurrent_each: optional(whole('Requests at one replica at once; absent without a limit.')),
  busy: optional(text('Why the pool is tried last: all of its usable replicas are over a bound of `spill`.')),
  hour_usd: orNull(
    text(
      'The spend in the last hour that counts against the cap; null without a cap, and while the store does not answer.',
    ),
  ),
  max_usd_per_hour: orNull(text()),
  caching: optional(CACHING),
  requests_10s: whole('First and second attempts in the last ten seconds.'),
  retries_10s: whole(),
  learned: optional(list(LESSON, 'Lessons from refusals of its backends; absent if there are none.')),
  replicas: list(REPLICA),
}

/** A pool as operators see it: what one gateway process knows of it. */
export const POOL = record(POOL_FIELDS, 'Pool')

export interface ShownPool extends TypeOf<typeof POOL> {}

/** A pool that was drained, or gets requests again. */
export const CHANGED_POOL = record({ ...POOL_FIELDS, note: text('The scope of the change.') }, 'ChangedPool')

/** A pool that changed, in the feed. */
export const POOL_EVENT = record({ event: fixed('pool'), ...POOL_FIELDS })

/** A gateway process's state of a pool. */
export interface KnownPool {
  readonly pool: Pool
  readonly settings: {
    readonly maxConcurrent?: number
    readonly maxConcurrentEach?: number
    readonly maxNanoUsdPerHour?: NanoUsd
    readonly spill: Spill
    readonly load?: object
    readonly queue?: { readonly max: number }
  }
  readonly state: PoolReading
  readonly models: readonly string[]
  /** Whether one of these models is of chats. */
  readonly hasChats: boolean
  readonly shares?: readonly KnownShare[]
  readonly copies?: readonly KnownCopies[]
  readonly spent?: NanoUsd
}

interface PoolReading {
  readonly drained: boolean
  readonly slots: {
    readonly taken: number
    readonly waiting: number
    readonly heldByAll: number | undefined
    readonly fair: QueueReading
  }
  readonly seekingReplica: number
  overload(pool: Pool, spill: Spill, now: EpochMs): Overload | undefined
  /** Attempts of the last ten seconds, and second attempts among them. */
  sent(now: EpochMs): { readonly all: number; readonly marked: number }
  replicas(pool: Pool): readonly ReplicaReading[]
  readonly balance: { readonly found: FoundTokens }
  readonly lessons: { counted(pool: Pool, now: EpochMs): readonly KnownLesson[] }
}

export function shownPool(
  { pool, settings, state, models, hasChats, shares = [], copies = [], spent }: KnownPool,
  now: EpochMs,
): ShownPool {
  const { all, marked } = state.sent(now)
  const { maxConcurrent, maxConcurrentEach, maxNanoUsdPerHour, spill, load, queue } = settings
  const overload = state.overload(pool, spill, now)
  return {
    pool: pool.name,
    declared: `${pool.at.file}:${pool.at.line}`,
    site: pool.site,
    model: pool.model,
    models,
    ...(shares.length > 0 && { shares: shares.map(shownShare) }),
    ...(copies.length > 0 && { copies: copies.map(shownCopies) }),
    drained: state.drained,
    in_flight: state.slots.taken - state.seekingReplica,
    waiting: state.slots.waiting + state.seekingReplica,
    ...(queue && { queue: shownQueue(queue.max, pool, state.slots.fair) }),
    max_concurrent: maxConcurrent ?? null,
    ...(pool.slotsOver === 'store' && { in_flight_over_store: state.slots.heldByAll ?? state.slots.taken }),
    ...(maxConcurrentEach !== undefined && { max_concurrent_each: maxConcurrentEach }),
    ...(overload && { busy: overloadText(overload) }),
    hour_usd: spent === undefined ? null : usdText(spent),
    max_usd_per_hour: maxNanoUsdPerHour === undefined ? null : usdText(maxNanoUsdPerHour),
    ...shownCaching(pool, state.balance.found, hasChats),
    requests_10s: all,
    retries_10s: marked,
    ...shownLessons(state.lessons.counted(pool, now)),
    replicas: shownReplicas(state.replicas(pool), { drained: state.drained, readsLoad: load !== undefined }, now),
  }
}

/** Joins a pool of several processes of one gateway: running requests are added up, replicas are those of the first. */
export function addedPools(first: ShownPool, others: readonly ShownPool[]): ShownPool {
  const all = [first, ...others]
  const sum = (of: (pool: ShownPool) => number) => all.reduce((total, pool) => total + of(pool), 0)
  return {
    ...first,
    in_flight: sum(pool => pool.in_flight),
    waiting: sum(pool => pool.waiting),
    requests_10s: sum(pool => pool.requests_10s),
    retries_10s: sum(pool => pool.retries_10s),
    ...addedCopies(all),
    ...addedQueues(all),
    ...slotsOverStore(all),
    ...addedCaching(all),
    ...addedLessons(all),
    replicas: addedReplicas(
      first.replicas,
      all.map(pool => pool.replicas),
    ),
  }
}

/** Processes hear from the store at different times, so the highest count is shown. */
function slotsOverStore(pools: readonly ShownPool[]): Pick<ShownPool, 'in_flight_over_store'> {
  const heard = pools.flatMap(({ in_flight_over_store: held }) => held ?? [])
  return heard.length > 0 ? { in_flight_over_store: Math.max(...heard) } : {}
}
