import type { EpochMs, Millis, Pool } from '../../policy/config.ts'
import type { NanoUsd } from '../../policy/nano-usd.ts'
import type { JsonObject } from '../json-safety.ts'
import { usdText } from '../money.ts'
import { count, flag, list, object, oneOf, orNull, text } from './record-fields.ts'

/** A pool as operators see it: what one gateway process knows of it. */
export interface ShownPool {
  readonly pool: string
  /** Where the files declare it: `policies/pools.yaml:12`. Older gateways do not say. */
  readonly declared?: string
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
  /** What refusals taught of its backends; absent where there is nothing. */
  readonly learned?: readonly ShownLesson[]
  readonly replicas: readonly ShownReplica[]
}

/** A field that the backends of a pool refused, and that requests are sent without, or by another name. */
export interface ShownLesson {
  readonly field: string
  /** The name in its place; null where it is left out. */
  readonly as: string | null
  /** Accounts whose requests taught it, to which alone it applies. */
  readonly accounts: number
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
  /** Of several gateways: those that see this state, where others see another one. */
  readonly seen_by?: readonly string[]
}

/** `closed` serves; `open` is ejected; `half-open` is tried; `cooling` asked for a pause. */
const STATES = ['closed', 'open', 'half-open', 'cooling', 'drained'] as const
export type ReplicaState = (typeof STATES)[number]

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

/** What a gateway process knows of a pool. */
export interface KnownPool {
  readonly pool: Pool
  readonly settings: { readonly maxConcurrent?: number; readonly maxNanoUsdPerHour?: NanoUsd }
  readonly state: PoolReading
  readonly models: readonly string[]
  readonly spent?: NanoUsd
}

interface PoolReading {
  readonly drained: boolean
  readonly slots: { readonly taken: number; readonly waiting: number }
  /** Attempts of the last ten seconds, and second attempts among them. */
  sent(now: EpochMs): { readonly all: number; readonly marked: number }
  replicas(pool: Pool): readonly ReplicaReading[]
  readonly lessons: {
    counted(pool: Pool, now: EpochMs): readonly (Omit<ShownLesson, 'as'> & { readonly as?: string })[]
  }
}

interface ReplicaReading {
  readonly url: string
  readonly drained: boolean
  readonly inFlight: number
  readonly breaker: { readonly failures: number; state(now: EpochMs): 'closed' | 'open' | 'half-open' }
  readonly probed?: ProbeReading | undefined
  cooling(now: EpochMs): Millis
  wait(now: EpochMs): Millis
}

interface ProbeReading {
  readonly ok: boolean
  readonly status?: number
  readonly error?: string
  readonly ms: Millis
  readonly at: EpochMs
}

export function shownPool({ pool, settings, state, models, spent }: KnownPool, now: EpochMs): ShownPool {
  const { all, marked } = state.sent(now)
  const { maxConcurrent, maxNanoUsdPerHour } = settings
  const lessons = state.lessons.counted(pool, now)
  return {
    pool: pool.name,
    declared: `${pool.at.file}:${pool.at.line}`,
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
    retries_10s: marked,
    ...(lessons.length > 0 && { learned: lessons.map(({ as, ...lesson }) => ({ ...lesson, as: as ?? null })) }),
    replicas: state.replicas(pool).map((replica, index) => ({
      replica: index + 1,
      ...shownReplica(replica, state.drained, now),
    })),
  }
}

/** The same of several processes of one gateway: what runs is added up, what is known of replicas is that of the first. */
export function addedPools(first: ShownPool, others: readonly ShownPool[]): ShownPool {
  const all = [first, ...others]
  const sum = (of: (pool: ShownPool) => number) => all.reduce((total, pool) => total + of(pool), 0)
  return {
    ...first,
    in_flight: sum(pool => pool.in_flight),
    waiting: sum(pool => pool.waiting),
    requests_10s: sum(pool => pool.requests_10s),
    retries_10s: sum(pool => pool.retries_10s),
    ...learnedIn(all),
    replicas: first.replicas.map((replica, place) => {
      const same = all.flatMap(pool => pool.replicas[place] ?? [])
      return {
        ...replica,
        in_flight: same.reduce((total, each) => total + each.in_flight, 0),
        failures: Math.max(...same.map(each => each.failures)),
      }
    }),
  }
}

/** Each lesson once: processes of a gateway tell each other. */
function learnedIn(pools: readonly ShownPool[]): Pick<ShownPool, 'learned'> {
  const byField = new Map<string, ShownLesson>()
  for (const lesson of pools.flatMap(({ learned = [] }) => learned)) {
    const { accounts = 0 } = byField.get(lesson.field) ?? {}
    byField.set(lesson.field, { ...lesson, accounts: Math.max(accounts, lesson.accounts) })
  }
  return byField.size > 0 ? { learned: [...byField.values()] } : {}
}

function shownReplica(replica: ReplicaReading, poolDrained: boolean, now: EpochMs): Omit<ShownReplica, 'replica'> {
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

function stateOf(replica: ReplicaReading, now: EpochMs): ReplicaState {
  const state = replica.breaker.state(now)
  return state === 'closed' && replica.cooling(now) > 0 ? 'cooling' : state
}

const shownProbe = ({ ok, status, error, ms, at }: ProbeReading): ShownProbe => ({
  ok,
  status: status ?? null,
  error: error ?? null,
  ms,
  at: new Date(at).toISOString(),
})

export const shownResult = (
  { name }: Pool,
  { number, url }: { readonly number: number; readonly url: string },
  probed: ProbeReading,
): ShownResult => ({ pool: name, replica: number, url, ...shownProbe(probed) })

/** Reads the pools that a gateway sent. Throws TypeError where they are of another form. */
export const readShownPools = ({ data }: JsonObject): readonly ShownPool[] =>
  list(data, 'pools').map(each => readShownPool(object(each, 'pool')))

export function readShownPool(record: JsonObject): ShownPool {
  return {
    pool: text(record, 'pool'),
    site: text(record, 'site'),
    model: text(record, 'model'),
    models: list(record.models, 'models').map(String),
    drained: flag(record, 'drained'),
    in_flight: count(record, 'in_flight'),
    waiting: count(record, 'waiting'),
    max_concurrent: orNull(count, record, 'max_concurrent'),
    hour_usd: orNull(text, record, 'hour_usd'),
    max_usd_per_hour: orNull(text, record, 'max_usd_per_hour'),
    requests_10s: count(record, 'requests_10s'),
    retries_10s: count(record, 'retries_10s'),
    ...(record.learned !== undefined && {
      learned: list(record.learned, 'lessons').map(each => readLesson(object(each, 'lesson'))),
    }),
    replicas: list(record.replicas, 'replicas').map(each => readReplica(object(each, 'replica'))),
  }
}

const readLesson = (record: JsonObject): ShownLesson => ({
  field: text(record, 'field'),
  as: orNull(text, record, 'as'),
  accounts: count(record, 'accounts'),
})

const readReplica = (record: JsonObject): ShownReplica => ({
  replica: count(record, 'replica'),
  url: text(record, 'url'),
  state: oneOf(STATES, record, 'state'),
  in_flight: count(record, 'in_flight'),
  failures: count(record, 'failures'),
  retry_in_ms: orNull(count, record, 'retry_in_ms'),
  last_probe: record.last_probe === null ? null : readProbe(object(record.last_probe, 'last_probe')),
  ...(record.seen_by !== undefined && { seen_by: list(record.seen_by, 'gateways').map(String) }),
})

const readProbe = (record: JsonObject): ShownProbe => ({
  ok: flag(record, 'ok'),
  status: orNull(count, record, 'status'),
  error: orNull(text, record, 'error'),
  ms: count(record, 'ms'),
  at: text(record, 'at'),
})

export const readShownResults = ({ data }: JsonObject): readonly ShownResult[] =>
  list(data, 'results').map(each => {
    const record = object(each, 'result')
    const place = { pool: text(record, 'pool'), replica: count(record, 'replica'), url: text(record, 'url') }
    return { ...place, ...readProbe(record) }
  })
