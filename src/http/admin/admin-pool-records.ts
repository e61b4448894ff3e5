import type { BackendSettings } from '../../config/settings.ts'
import type { PoolState, Replica } from '../../gateway/upstream/pools.ts'
import type { Probed } from '../../gateway/upstream/probe.ts'
import type { EpochMs, NanoUsd, Pool } from '../../policy/config.ts'
import { usdText } from '../../wire/money.ts'

/** A pool as operators see it: what one gateway process knows of it. */
export interface ShownPool {
  readonly pool: string
  readonly site: string
  /** The name the backends know. */
  readonly model: string
  /** The models of the gateway that it serves. */
  readonly models: readonly string[]
  /** An operator wants no new requests here. */
  readonly drained: boolean
  readonly in_flight: number
  /** Requests that wait for room. */
  readonly waiting: number
  readonly max_concurrent: number | null
  /** What counts against the hour; null without a limit, and while the store does not answer. */
  readonly hour_usd: string | null
  readonly max_usd_per_hour: string | null
  /** First and second attempts in the last ten seconds. */
  readonly requests_10s: number
  readonly retries_10s: number
  readonly replicas: readonly ShownReplica[]
}

export interface ShownReplica {
  /** Counts from 1. */
  readonly replica: number
  readonly url: string
  readonly state: ReplicaState
  readonly in_flight: number
  /** Of requests, in a row. */
  readonly failures: number
  /** Until it is tried again: 0 now, null when an operator wants no requests there. */
  readonly retry_in_ms: number | null
  readonly last_probe: ShownProbe | null
}

/** `closed` serves; `open` is left out; `half-open` is tried; `cooling` asked for a pause. */
export type ReplicaState = 'closed' | 'open' | 'half-open' | 'cooling' | 'drained'

export interface ShownProbe {
  readonly ok: boolean
  /** Null without an answer. */
  readonly status: number | null
  readonly error: string | null
  readonly ms: number
  readonly at: string
}

/** What a replica said when an operator had it asked. */
export interface ShownResult extends ShownProbe {
  readonly pool: string
  readonly replica: number
  readonly url: string
}

export interface KnownPool {
  readonly pool: Pool
  readonly settings: BackendSettings
  readonly state: PoolState
  readonly models: readonly string[]
  readonly spent?: NanoUsd
}

export function shownPool({ pool, settings, state, models, spent }: KnownPool, now: EpochMs): ShownPool {
  const { all, special } = state.sent(now)
  const { maxConcurrent, maxNanoUsdPerHour } = settings
  return {
    pool: pool.name,
    site: pool.site,
    model: pool.model,
    models,
    drained: state.drained,
    in_flight: state.slots.taken,
    waiting: state.slots.waiting,
    max_concurrent: maxConcurrent ?? null,
    hour_usd: spent === undefined ? null : usdText(spent),
    max_usd_per_hour: maxNanoUsdPerHour === undefined ? null : usdText(maxNanoUsdPerHour),
    requests_10s: all,
    retries_10s: special,
    replicas: state.replicas(pool).map((replica, index) => ({
      replica: index + 1,
      ...shownReplica(replica, state.drained, now),
    })),
  }
}

function shownReplica(replica: Replica, poolDrained: boolean, now: EpochMs): Omit<ShownReplica, 'replica'> {
  const { url, inFlight, breaker, probed } = replica
  const drained = poolDrained || replica.drained
  return {
    url,
    state: drained ? 'drained' : stateOf(replica, now),
    in_flight: inFlight,
    failures: breaker.failures,
    retry_in_ms: drained ? null : replica.wait(now),
    last_probe: probed ? shownProbe(probed) : null,
  }
}

function stateOf(replica: Replica, now: EpochMs): ReplicaState {
  const state = replica.breaker.state(now)
  return state === 'closed' && replica.cooling(now) > 0 ? 'cooling' : state
}

const shownProbe = ({ ok, status, error, ms, at }: Probed): ShownProbe => ({
  ok,
  status: status ?? null,
  error: error ?? null,
  ms,
  at: new Date(at).toISOString(),
})

export const shownResult = (
  { name }: Pool,
  { number, url }: { readonly number: number; readonly url: string },
  probed: Probed,
): ShownResult => ({ pool: name, replica: number, url, ...shownProbe(probed) })
