import type { CanaryRules, EpochMs, Millis, Pool, TrafficShare } from '../../policy/config.ts'
import type { NanoUsd } from '../../policy/nano-usd.ts'
import { type EngineReport, isFresh, type Overload, overloadText, type Spill } from '../../policy/replica-load.ts'
import {
  type CanaryCounts,
  figuresOf,
  noCounts,
  rulesText,
  type SideCounts,
  type StopReason,
} from '../../policy/traffic/canary.ts'
import { shareText } from '../../policy/traffic/share.ts'
import { usdText } from '../money.ts'
import {
  fixed,
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
import { addedCopies, COPIES, type KnownCopies, shownCopies } from './pool-copies.ts'

/** A field that a pool's backends refused. Requests omit it, or use another name. */
const LESSON = record(
  {
    field: text(),
    as: orNull(text('The name sent instead; null if the field is left out.')),
    accounts: whole('The accounts whose requests were refused. The lesson applies only to them.'),
  },
  'Lesson',
  "A field that a pool's backends refused. Requests omit it, or use another name.",
)

export interface ShownLesson extends TypeOf<typeof LESSON> {}

const PROBE_FIELDS = {
  ok: flag(),
  status: orNull(whole('Null without an answer.')),
  error: orNull(text()),
  ms: whole(),
  at: moment(),
}

const PROBE = record(PROBE_FIELDS, 'Probe')

export interface ShownProbe extends TypeOf<typeof PROBE> {}

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

const PROMPTS = {
  prompt_tokens: whole('Tokens of the prompts of chats, as backends counted them.'),
  cached_tokens: whole('Those of them that backends read from their caches.'),
}

/** The prompt tokens that a replica counted since the start of the process. */
const REPLICA_CACHING = record(
  PROMPTS,
  'ReplicaCaching',
  'How much of the prompts of chats the replica had cached, since the process started; absent before its first chat.',
)

const STATES = ['closed', 'open', 'half-open', 'cooling', 'drained'] as const
export type ReplicaState = (typeof STATES)[number]

const REPLICA = record(
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

/** The savings from caches of a pool's backends since the start of the process. */
const CACHING = record(
  {
    balance: word(['prefix', 'session', 'busy'] as const, 'How chats are spread over the replicas.'),
    caches: word(['account', 'org', 'pool'] as const, 'Who may find whose prompt.'),
    isolated: flag('Whether the backends keep these apart, by `cache_salt`.'),
    ...PROMPTS,
    expected_tokens: whole('Those that the gateway expected them to have.'),
  },
  'Caching',
  'How much of the prompts of chats the backends had cached, since the process started; absent if the pool serves no chats.',
)

export interface ShownCaching extends TypeOf<typeof CACHING> {}

const SLOT_SHARE = record(
  {
    owner: text('`org:NAME` or `plan:NAME`.'),
    share: text('Its share of the slots, such as `60%`.'),
    guaranteed: whole('Slots that are guaranteed, in each gateway.'),
    in_flight: whole('Slots that its requests hold, its own and borrowed ones.'),
    waiting: whole(),
  },
  'SlotShare',
  'A share of the slots of a pool.',
)

const QUEUE = record(
  {
    max: whole('Requests that may wait, in each process.'),
    by_priority: list(
      record({ priority: whole(), waiting: whole() }, 'QueuePriority'),
      'Requests that wait, by the priority of their plans, the highest first.',
    ),
    shares: optional(list(SLOT_SHARE, 'The shares of the slots; absent if the pool declares none.')),
  },
  'Queue',
  'The queue of the pool; absent if it declares none.',
)

export interface ShownQueue extends TypeOf<typeof QUEUE> {}

const SIDE = record(
  {
    requests: whole('The newest requests that are compared.'),
    errors: whole('Those of them that failed here.'),
    first_token_p95_ms: orNull(whole('Null without streams.')),
  },
  'CanarySide',
)

const CANARY = record(
  {
    state: word(['running', 'stopped'] as const, '`stopped`: it broke a rule, and its pool was drained.'),
    stop_when: text('The rules, in words.'),
    why: optional(word(['errors_over', 'first_token_p95_over'] as const, 'The rule that it broke.')),
    stopped_at: optional(moment()),
    against: text('The pool that it is compared with.'),
    canary: SIDE,
    control: SIDE,
  },
  'Canary',
  'A pool that is compared with another one of the model, over all gateways.',
)

export interface ShownCanary extends TypeOf<typeof CANARY> {}

const SHARE = record(
  {
    model: text(),
    share: text('The share of the conversations of the model that come here first, such as `5%`.'),
    canary: optional(CANARY),
  },
  'TrafficShare',
  'A share of the conversations of a model, which gives the pool no failover traffic of it.',
)

export interface ShownShare extends TypeOf<typeof SHARE> {}

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

/** A replica's answer when an operator had it probed. */
const RESULT = record({ pool: text(), replica: whole(), url: text(), ...PROBE_FIELDS }, 'ProbeResult')

export interface ShownResult extends TypeOf<typeof RESULT> {}

export const PROBE_RESULTS = record({
  object: fixed('list'),
  ok: flag('Whether all of them succeeded.'),
  data: list(RESULT),
})

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

/** The share of a pool, and what is known of its canary. */
export interface KnownShare {
  readonly model: string
  readonly share: TrafficShare
  /** Absent where no gateway has compared it yet. */
  readonly counts?: Pick<CanaryCounts, 'canary' | 'control'>
  readonly stopped?: { readonly at: EpochMs; readonly why: StopReason }
}

interface PoolReading {
  readonly drained: boolean
  readonly slots: {
    readonly taken: number
    readonly waiting: number
    readonly heldByAll: number | undefined
    readonly fair: {
      readonly byPriority: ReadonlyMap<number, number>
      /** Requests of the owner of a share. */
      usedBy(owner: string): { readonly held: number; readonly waiting: number }
    }
  }
  readonly seekingReplica: number
  overload(pool: Pool, spill: Spill, now: EpochMs): Overload | undefined
  /** Attempts of the last ten seconds, and second attempts among them. */
  sent(now: EpochMs): { readonly all: number; readonly marked: number }
  replicas(pool: Pool): readonly ReplicaReading[]
  readonly balance: { readonly found: Pick<ShownCaching, 'prompt_tokens' | 'cached_tokens' | 'expected_tokens'> }
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
  readonly report?: EngineReport | undefined
  readonly promptTokens: number
  readonly cachedTokens: number
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

export function shownPool(
  { pool, settings, state, models, hasChats, shares = [], copies = [], spent }: KnownPool,
  now: EpochMs,
): ShownPool {
  const { all, marked } = state.sent(now)
  const { maxConcurrent, maxConcurrentEach, maxNanoUsdPerHour, spill, load, queue } = settings
  const overload = state.overload(pool, spill, now)
  const lessons = state.lessons.counted(pool, now)
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
    ...(queue && { queue: { ...shownQueue(queue.max, state.slots.fair.byPriority), ...slotShares(pool, state) } }),
    max_concurrent: maxConcurrent ?? null,
    ...(pool.slotsOver === 'store' && { in_flight_over_store: state.slots.heldByAll ?? state.slots.taken }),
    ...(maxConcurrentEach !== undefined && { max_concurrent_each: maxConcurrentEach }),
    ...(overload && { busy: overloadText(overload) }),
    hour_usd: spent === undefined ? null : usdText(spent),
    max_usd_per_hour: maxNanoUsdPerHour === undefined ? null : usdText(maxNanoUsdPerHour),
    ...cachingOf(pool, state, hasChats),
    requests_10s: all,
    retries_10s: marked,
    ...(lessons.length > 0 && { learned: lessons.map(({ as, ...lesson }) => ({ ...lesson, as: as ?? null })) }),
    replicas: state.replicas(pool).map((replica, index) => ({
      replica: index + 1,
      ...shownReplica(replica, state.drained, now),
      ...(load && { load: replica.report ? shownLoad(replica.report, now) : null }),
      ...promptsOf(replica),
    })),
  }
}

const shownShare = ({ model, share, counts, stopped }: KnownShare): ShownShare => ({
  model,
  share: shareText(share.millionths),
  ...(share.canary && { canary: shownCanary(share.canary, counts ?? noCounts(share.canary), stopped) }),
})

const shownCanary = (
  rules: CanaryRules,
  { canary, control }: Pick<CanaryCounts, 'canary' | 'control'>,
  stopped: KnownShare['stopped'],
): ShownCanary => ({
  state: stopped ? 'stopped' : 'running',
  stop_when: rulesText(rules),
  ...(stopped && { why: stopped.why, stopped_at: new Date(stopped.at).toISOString() }),
  against: rules.against,
  canary: shownSide(canary),
  control: shownSide(control),
})

function shownSide(counts: SideCounts): ShownCanary['canary'] {
  const { requests, errors, firstTokenP95Ms } = figuresOf(counts)
  return { requests, errors, first_token_p95_ms: firstTokenP95Ms ?? null }
}

const shownQueue = (max: number, byPriority: Iterable<readonly [number, number]>): ShownQueue => ({
  max,
  by_priority: [...byPriority].sort(([a], [b]) => b - a).map(([priority, waiting]) => ({ priority, waiting })),
})

function slotShares({ shares }: Pool, { slots: { fair } }: PoolReading): Pick<ShownQueue, 'shares'> {
  if (!shares) return {}
  return {
    shares: shares.map(({ owner, millionths, slots }) => {
      const { held, waiting } = fair.usedBy(owner)
      return { owner, share: shareText(millionths), guaranteed: slots, in_flight: held, waiting }
    }),
  }
}

/** Shown before the first chat too, so that a pool which keeps no accounts apart shows it in time. */
function cachingOf(
  { balance, caches, provider }: Pool,
  { balance: { found } }: PoolReading,
  hasChats: boolean,
): Pick<ShownPool, 'caching'> {
  if (!hasChats && found.prompt_tokens === 0) return {}
  return { caching: { balance, caches, isolated: caches !== 'pool' && provider.facts.cacheSalt, ...found } }
}

const promptsOf = ({ promptTokens, cachedTokens }: ReplicaReading): Pick<ShownReplica, 'caching'> =>
  promptTokens === 0 ? {} : { caching: { prompt_tokens: promptTokens, cached_tokens: cachedTokens } }

/** Adds up the prompts of one replica over processes, or gateways. */
export function addedPrompts(replicas: readonly Pick<ShownReplica, 'caching'>[]): Pick<ShownReplica, 'caching'> {
  const all = replicas.flatMap(({ caching }) => caching ?? [])
  if (all.length === 0) return {}
  const sum = (field: 'prompt_tokens' | 'cached_tokens') => all.reduce((total, each) => total + each[field], 0)
  return { caching: { prompt_tokens: sum('prompt_tokens'), cached_tokens: sum('cached_tokens') } }
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
    ...learnedIn(all),
    replicas: first.replicas.map((replica, place) => {
      const same = all.flatMap(pool => pool.replicas[place] ?? [])
      return {
        ...replica,
        in_flight: same.reduce((total, each) => total + each.in_flight, 0),
        failures: Math.max(...same.map(each => each.failures)),
        ...addedPrompts(same),
      }
    }),
  }
}

function addedQueues(pools: readonly ShownPool[]): Pick<ShownPool, 'queue'> {
  const all = pools.flatMap(({ queue }) => queue ?? [])
  const [first] = all
  if (!first) return {}
  const byPriority = new Map<number, number>()
  for (const { priority, waiting } of all.flatMap(({ by_priority }) => by_priority))
    byPriority.set(priority, (byPriority.get(priority) ?? 0) + waiting)
  return { queue: { ...shownQueue(first.max, byPriority), ...addedShares(first, all) } }
}

/** The shares of the first, with what their owners have in all. */
function addedShares({ shares }: ShownQueue, all: readonly ShownQueue[]): Pick<ShownQueue, 'shares'> {
  if (!shares) return {}
  return {
    shares: shares.map(share => {
      const same = all.flatMap(queue => queue.shares?.find(({ owner }) => owner === share.owner) ?? [])
      return {
        ...share,
        in_flight: same.reduce((total, each) => total + each.in_flight, 0),
        waiting: same.reduce((total, each) => total + each.waiting, 0),
      }
    }),
  }
}

/** Processes hear of it at different times: the most of what they heard. */
function slotsOverStore(pools: readonly ShownPool[]): Pick<ShownPool, 'in_flight_over_store'> {
  const heard = pools.flatMap(({ in_flight_over_store: held }) => held ?? [])
  return heard.length > 0 ? { in_flight_over_store: Math.max(...heard) } : {}
}

function addedCaching(pools: readonly ShownPool[]): Pick<ShownPool, 'caching'> {
  const all = pools.flatMap(({ caching }) => caching ?? [])
  const [first] = all
  if (!first) return {}
  const sum = (field: 'prompt_tokens' | 'cached_tokens' | 'expected_tokens') =>
    all.reduce((total, caching) => total + caching[field], 0)
  return {
    caching: {
      ...first,
      prompt_tokens: sum('prompt_tokens'),
      cached_tokens: sum('cached_tokens'),
      expected_tokens: sum('expected_tokens'),
    },
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

const shownLoad = (report: EngineReport, now: EpochMs): ShownLoad => ({
  running: Math.round(report.running),
  waiting: Math.round(report.waiting),
  kv_usage: report.kvUsage ?? null,
  at: new Date(report.at).toISOString(),
  stale: !isFresh(report, now),
})

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
