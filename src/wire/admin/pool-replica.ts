import type { EpochMs, Millis } from '../../policy/config.ts'
import { type EngineReport, isFresh } from '../../policy/replica-load.ts'
import {
  flag,
  list,
  moment,
  number,
  optional,
  orNull,
  record,
  type TypeOf,
  text,
  whole,
  word,
} from '../schema/schema.ts'
import { PROMPTS } from './pool-caching.ts'
import { PROBE, type ProbeReading, shownProbe } from './pool-probe.ts'

const LOAD = record(
  {
    running: whole('Requests that the engine works on.'),
    waiting: whole('Requests that wait at the engine.'),
    kv_usage: orNull(number('Share of the KV cache in use, from 0 to 1; null where the engine does not report it.')),
    at: moment('When the engine was asked.'),
    stale: flag('Whether the report is older than 3 s, and no longer counts.'),
  },
  'Load',
  'The load of a replica as its engine reported it last: absent where the pool declares no `load`, null until the engine was read.',
)

export interface ShownLoad extends TypeOf<typeof LOAD> {}

/** The prompt tokens that a replica counted since the start of the process. */
const REPLICA_CACHING = record(
  PROMPTS,
  'ReplicaCaching',
  'How much of the prompts of chats the replica had cached, since the process started; absent before its first chat.',
)

const STATES = ['closed', 'open', 'half-open', 'cooling', 'drained'] as const
export type ReplicaState = (typeof STATES)[number]

export const REPLICA = record(
  {
    replica: whole('Counts from 1.'),
    url: text(),
    state: word(
      STATES,
      '`closed`: in use. `open`: ejected. `half-open`: being tried again. `cooling`: it asked for a pause. `drained`: an operator stopped requests to it.',
    ),
    in_flight: whole(),
    failures: whole('Failed requests in a row.'),
    retry_in_ms: orNull(whole('Time until it is tried again: 0 means now, null that an operator drained it.')),
    last_probe: orNull(PROBE),
    load: optional(orNull(LOAD)),
    caching: optional(REPLICA_CACHING),
    seen_by: optional(list(text(), 'The gateways that see this state, if others see a different one.')),
  },
  'Replica',
)

export interface ShownReplica extends TypeOf<typeof REPLICA> {}

/** A replica as a process knows it. */
export interface ReplicaReading {
  readonly url: string
  readonly drained: boolean
  readonly inFlight: number
  readonly breaker: { readonly failures: number; state(now: EpochMs): 'closed' | 'open' | 'half-open' }
  readonly probed?: ProbeReading | undefined
  readonly report?: EngineReport | undefined
  readonly promptTokens: number
  readonly cachedTokens: number
  cooling(now: EpochMs): Millis
  wait(now: EpochMs): Millis
}

/** `readsLoad`: whether the pool has the load of its engines read. */
export const shownReplicas = (
  replicas: readonly ReplicaReading[],
  pool: { readonly drained: boolean; readonly readsLoad: boolean },
  now: EpochMs,
): ShownReplica[] =>
  replicas.map((replica, index) => {
    const { url, inFlight, breaker, probed, report, promptTokens, cachedTokens } = replica
    const drained = pool.drained || replica.drained
    return {
      replica: index + 1,
      url,
      state: drained ? 'drained' : stateOf(replica, now),
      in_flight: inFlight,
      failures: breaker.failures,
      retry_in_ms: drained ? null : replica.wait(now),
      last_probe: probed ? shownProbe(probed) : null,
      ...(pool.readsLoad && { load: report ? shownLoad(report, now) : null }),
      ...(promptTokens > 0 && { caching: { prompt_tokens: promptTokens, cached_tokens: cachedTokens } }),
    }
  })

function stateOf(replica: ReplicaReading, now: EpochMs): ReplicaState {
  const state = replica.breaker.state(now)
  return state === 'closed' && replica.cooling(now) > 0 ? 'cooling' : state
}

const shownLoad = (report: EngineReport, now: EpochMs): ShownLoad => ({
  running: Math.round(report.running),
  waiting: Math.round(report.waiting),
  kv_usage: report.kvUsage ?? null,
  at: new Date(report.at).toISOString(),
  stale: !isFresh(report, now),
})

/** Adds up the requests of the first's replicas over all processes of a gateway. */
export const addedReplicas = (
  first: readonly ShownReplica[],
  all: readonly (readonly ShownReplica[])[],
): ShownReplica[] =>
  first.map((replica, place) => {
    const same = all.flatMap(replicas => replicas[place] ?? [])
    return {
      ...replica,
      in_flight: same.reduce((total, each) => total + each.in_flight, 0),
      failures: Math.max(...same.map(each => each.failures)),
      ...addedPrompts(same),
    }
  })

/** Adds up the prompts of one replica over processes, or gateways. */
export function addedPrompts(replicas: readonly Pick<ShownReplica, 'caching'>[]): Pick<ShownReplica, 'caching'> {
  const all = replicas.flatMap(({ caching }) => caching ?? [])
  if (all.length === 0) return {}
  const sum = (field: 'prompt_tokens' | 'cached_tokens') => all.reduce((total, each) => total + each[field], 0)
  return { caching: { prompt_tokens: sum('prompt_tokens'), cached_tokens: sum('cached_tokens') } }
}
