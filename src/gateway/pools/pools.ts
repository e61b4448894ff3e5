import { randomBytes } from 'node:crypto'
import { digest32 } from '../../policy/balance/rendezvous.ts'
import type { EpochMs, Millis, Pool } from '../../policy/config.ts'
import { TYPICAL } from '../../policy/pace.ts'
import {
  type BusyPool,
  type EngineReport,
  leastOverload,
  type Overload,
  overloadOf,
  type Spill,
} from '../../policy/replica-load.ts'
import type { PoolOutcome } from '../../policy/traffic/canary.ts'
import type { Pause } from '../attempt/outcome.ts'
import { TokenSurplus } from '../attempt/token-surplus.ts'
import { CacheDomains } from '../balance/cache-domains.ts'
import { LoadElsewhere } from '../balance/load-elsewhere.ts'
import { TableBudget } from '../balance/mark-table.ts'
import type { DomainMarks, Load } from '../balance/news.ts'
import { PoolBalance } from '../balance/pool-balance.ts'
import type { Alarm, Cancel, Clock } from '../ports.ts'
import type { DrainedPlace } from '../store/fleet-store.ts'
import { Breaker, type Ejection } from './breaker.ts'
import { FirstTokens } from './first-tokens.ts'
import { type Lesson, Lessons } from './lessons.ts'
import { type Share, SlidingCount } from './sliding-count.ts'
import { type Lender, Slots } from './slots.ts'
import { type Stay, Stays } from './stays.ts'

/** Second attempts in ten seconds, as a share of the requests that came in them; beyond it, so many at once. */
const RETRY_SHARE = 0.2
const RETRIES_AT_ONCE = 3
/** The longest that a Retry-After is believed. */
const LONGEST_COOLDOWN: Millis = 60_000
/** A replica that asks so many accounts for a pause at once asks everybody. */
const MANY_PAUSES = 3
/** Accounts whose pauses a replica remembers at once. */
const MOST_PAUSES = 1000
/** Engines derive the start of their process from a clock, which may be adjusted. */
const SAME_START: Millis = 1000

/** One replica of a pool: which has one model, so that what is remembered here is of a replica and its model. */
export class Replica {
  readonly url: string
  readonly breaker: Breaker
  /** A digest of its URL, by which requests that cost the same everywhere are spread. */
  readonly place: number
  /** Requests of this process that are under way here. */
  inFlight = 0
  /** Prompt tokens of them, as far as the pool chooses by prompts. */
  heldTokens = 0
  /** Those of them that it still has to compute. */
  owedTokens = 0
  /** Tokens of the prompts of chats, as its answers to this process counted them since the start. */
  promptTokens = 0
  /** Those of them that it read from its cache. */
  cachedTokens = 0
  /** The load that other processes and gateways have here. */
  readonly elsewhere = new LoadElsewhere()
  /** This one and those of other pools at its URL, such as a model and its adapters: one engine has the work of all. */
  readonly atUrl: readonly Replica[]
  /** Its last failure was a connection that it refused or reset, as one does that starts anew. */
  brokeOff = false
  /** The result of the last probe, where there was one. */
  probed?: ProbeResult
  /** An operator wants no new requests here. */
  drained = false
  /** How often its engine was seen to start anew: with each start its caches are empty. */
  restarts = 0
  readonly firstTokens: FirstTokens
  /** The requests that run here at once, where `max_concurrent_each` bounds them. */
  readonly slots = new Slots()
  #report: EngineReport | undefined
  #pause: PauseSince = NO_PAUSE
  /** Pauses that a replica gave in answer to one account: what that sent may be why. */
  readonly #pausesOf = new Map<string, PauseSince>()

  readonly #events: ReplicaEvents

  constructor(url: string, events: ReplicaEvents, atUrl: Replica[] = []) {
    this.url = url
    atUrl.push(this)
    this.atUrl = atUrl
    this.place = digest32(url)
    this.#events = events
    this.breaker = new Breaker(
      () => events.changed(this),
      () => events.moved?.(this),
    )
    this.firstTokens = new FirstTokens((late, at) => events.gotFirstToken?.(this, late, at))
  }

  /** A request is sent here: `prompt` are its tokens, as far as the pool chooses by prompts. */
  takes(prompt: PromptLoad = NO_PROMPT): void {
    this.inFlight++
    this.heldTokens += prompt.heldTokens
    this.owedTokens += prompt.owedTokens
    this.#events.loaded?.(this)
  }

  /** It has read the prompt of a request, or will not. */
  computed(prompt: PromptLoad = NO_PROMPT): void {
    if (prompt.owedTokens === 0) return
    this.owedTokens -= prompt.owedTokens
    this.#events.loaded?.(this)
  }

  /** A request is over, whose prompt was computed or was not going to be. */
  frees(prompt: PromptLoad = NO_PROMPT): void {
    this.inFlight--
    this.heldTokens -= prompt.heldTokens
    this.#events.loaded?.(this)
  }

  /** The load as its engine reported it last, however old. */
  get report(): EngineReport | undefined {
    return this.#report
  }

  /** Takes what the engine reports of itself. Returns whether it started anew since the report before. */
  reported(report: EngineReport): boolean {
    const before = this.#report?.startedAt
    // The next report may lack the start: what was known of it stays.
    const startedAt = report.startedAt ?? before
    this.#report = { ...report, ...(startedAt !== undefined && { startedAt }) }
    const isRestarted = before !== undefined && Math.abs((startedAt ?? before) - before) > SAME_START
    if (isRestarted) {
      this.restarts++
      this.#events.restarted?.(this)
    }
    this.#events.reported?.(this, report)
    return isRestarted
  }

  /** Why requests pass this replica over; undefined where they do not. */
  overload(spill: Spill, now: EpochMs): Overload | undefined {
    const firstTokens = spill.firstTokenOver === undefined ? undefined : this.firstTokens.count(now)
    return overloadOf({ report: this.#report, firstTokens }, spill, now)
  }

  /** The replica gets a pause: of all requests, or of those of one account. */
  cool(now: EpochMs, { time, ...how }: Pause, account?: string): void {
    if (this.cooling(now, account) >= time) return
    const pause = { from: now, ...how, time: Math.min(time, LONGEST_COOLDOWN) }
    if (account === undefined) this.#pause = pause
    else this.#remember(account, pause)
    this.#events.paused?.(this, pause, account)
    if (account !== undefined) this.#coolAllWhereManyWait(now)
  }

  /** One account may have provoked a pause with what it sent; several that are paid for hardly all did. */
  #coolAllWhereManyWait(now: EpochMs): void {
    const asked = [...this.#pausesOf.values()].filter(
      pause => pause.asked && !pause.isOfGuest && leftOf(pause, now) > 0,
    )
    if (asked.length < MANY_PAUSES) return
    this.cool(now, { time: Math.min(...asked.map(pause => leftOf(pause, now))), asked: true })
  }

  /** The rest of the longest pause, whoever it was asked of. */
  longestPause(now: EpochMs): Millis {
    return Math.max(leftOf(this.#pause, now), ...Array.from(this.#pausesOf.values(), pause => leftOf(pause, now)))
  }

  /** The pauses that are not over. */
  pauses(now: EpochMs): readonly AccountPause[] {
    const all = [{ pause: this.#pause }, ...[...this.#pausesOf].map(([account, pause]) => ({ pause, account }))]
    return all.filter(({ pause }) => leftOf(pause, now) > 0)
  }

  #remember(account: string, pause: PauseSince): void {
    const [oldest] = this.#pausesOf.keys()
    if (oldest !== undefined && this.#pausesOf.size >= MOST_PAUSES) this.#pausesOf.delete(oldest)
    // Behind all others: the first is the oldest.
    this.#pausesOf.delete(account)
    this.#pausesOf.set(account, pause)
  }

  /** The rest of the pause for an account, or for all. */
  cooling(now: EpochMs, account?: string): Millis {
    return Math.max(leftOf(this.#pause, now), leftOf(this.#pauseOf(account), now))
  }

  /** Whether the replica itself said how long that pause is to be. */
  askedForPause(now: EpochMs, account?: string): boolean {
    const [all, own] = [this.#pause, this.#pauseOf(account)]
    return leftOf(own, now) > leftOf(all, now) ? own.asked : all.asked
  }

  #pauseOf(account: string | undefined): PauseSince {
    // Nearly always there is none, and nothing to look up.
    if (account === undefined || this.#pausesOf.size === 0) return NO_PAUSE
    return this.#pausesOf.get(account) ?? NO_PAUSE
  }

  /** Whether a request may be sent here, once a pause of at most `patience` is over. */
  isUsable(now: EpochMs, patience: Millis = 0, account?: string): boolean {
    return !this.drained && this.cooling(now, account) <= patience && this.breaker.admits(now)
  }

  /** Until a request may be sent here; forever when an operator wants none. */
  wait(now: EpochMs, account?: string): Millis {
    return this.drained ? Number.POSITIVE_INFINITY : Math.max(this.cooling(now, account), this.breaker.wait(now))
  }
}

/** Tokens of one prompt. */
type PromptLoad = Pick<Load, 'heldTokens' | 'owedTokens'>
const NO_PROMPT: PromptLoad = { heldTokens: 0, owedTokens: 0 }

/** Whether a cause is a connection that was refused or reset. Timeouts say nothing of what a replica has. */
export const isBroken = (cause: string): boolean => BROKEN.test(cause)
const BROKEN = /^(?:ECONNREFUSED|ECONNRESET|EPIPE|UND_ERR_SOCKET)$/

/** The result of one probe. */
export interface ProbeResult {
  readonly ok: boolean
  /** HTTP status; absent without an answer. */
  readonly status?: number
  /** Why it is not ok: `status 503`, `ECONNREFUSED`, `connect timeout`, `timeout`. */
  readonly error?: string
  readonly ms: Millis
  /** When it was sent. */
  readonly at: EpochMs
}

export interface PauseSince extends Pause {
  readonly from: EpochMs
}

/** A pause of all, or of one account. */
interface AccountPause {
  readonly pause: PauseSince
  readonly account?: string
}

/** Events of a pool and its replicas. */
export interface ReplicaEvents {
  /** It was ejected, or is back. */
  readonly changed: (replica: Replica) => void
  /** Its breaker has something else to share. */
  readonly moved?: (replica: Replica) => void
  readonly paused?: (replica: Replica, pause: PauseSince, account: string | undefined) => void
  /** A refusal of an account's request taught something. */
  readonly learned?: (account: string, lessons: readonly Lesson[], at: EpochMs) => void
  /** Operators are alarmed that no replica can be used, or that one can again. */
  readonly complained?: (cause: string | undefined) => void
  /** Lends slots of a replica; without it all slots are this process' own. */
  readonly lenderOf?: (replica: string) => Lender | undefined
  /** Its engine started anew. */
  readonly restarted?: (replica: Replica) => void
  /** Its engine reported its load. */
  readonly reported?: (replica: Replica, report: EngineReport) => void
  /** The load of this process there changed. */
  readonly loaded?: (replica: Replica) => void
  /** Prompts with marks that others may not know were sent there. */
  readonly marked?: (replica: Replica, marks: DomainMarks) => void
  /** It lost its cache. */
  readonly emptied?: (replica: Replica) => void
  /** The replicas of all pools at a URL, to which the pool adds its own. */
  readonly replicasAt?: (url: string) => Replica[]
  /** Others have joined that know little of what is cached. */
  readonly tellsAll?: () => boolean
  /** This process measured how long a stream waited for its first token. */
  readonly gotFirstToken?: (replica: Replica, late: boolean, at: EpochMs) => void
}

const NO_PAUSE: PauseSince = { from: 0, time: 0, asked: false }

const leftOf = ({ from, time }: PauseSince, now: EpochMs): Millis => (now < from ? 0 : Math.max(0, from + time - now))

/** This process's state of one pool. */
export class PoolState {
  readonly slots = new Slots()
  readonly surplus = new TokenSurplus()
  /** Lessons from refusals of its backends. */
  readonly lessons = new Lessons()
  readonly balance: PoolBalance
  readonly #replicas = new Map<string, Replica>()
  /** Those that `replicas` was asked for last. */
  #declared: readonly string[] = []
  #present: readonly Replica[] = []
  readonly #events: ReplicaEvents
  /** Requests that came to the pool, and second attempts in it. */
  readonly #sent = new SlidingCount()
  #complaint: string | undefined
  /** Second attempts that nothing is known of yet. */
  retrying = 0
  /** Requests that have a slot of the pool, and wait for one at a replica. */
  seekingReplica = 0
  /** An operator wants no new requests here. */
  drained = false
  /** As this process has measured it since its start. */
  pace = TYPICAL

  constructor(events: ReplicaEvents, budget = new TableBudget()) {
    this.#events = events
    this.balance = new PoolBalance(budget, {
      marked: (url, marks) => events.marked?.(this.replica(url), marks),
      emptied: url => events.emptied?.(this.replica(url)),
      tellsAll: () => events.tellsAll?.() ?? false,
    })
  }

  /** The cause that operators were last alarmed with: why no replica of the pool could be used. */
  get complaint(): string | undefined {
    return this.#complaint
  }

  complain(cause: string | undefined): void {
    this.#complaint = cause
    this.#events.complained?.(cause)
  }

  /** An account's request was refused for these fields, and then served. */
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

  /** A replica that is ejected for connections which it refused or reset has lost what it had cached. */
  #changed(replica: Replica): void {
    const { breaker, brokeOff, probed } = replica
    if (breaker.shared.isOpen && (brokeOff || isBroken(probed?.error ?? ''))) this.balance.forget(replica)
    replica.brokeOff = false
    this.#events.changed(replica)
  }

  /** Those that it ever had. */
  get known(): readonly Replica[] {
    return [...this.#replicas.values()]
  }

  /** Those that the pool is declared to have now. */
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

/** A request as it ended at one pool, for the canaries of its model. */
export interface ComparedOutcome extends PoolOutcome {
  readonly model: string
  readonly pool: string
  /** The request was not sent there, since every replica is ejected, the last one since then. */
  readonly ejectedAt?: EpochMs
}

/** Called when a replica is ejected, or back. */
export type ReplicaChanged = (pool: string, replica: Replica) => void

/** Passes on to other processes what this one finds of pools. */
export interface Sharing {
  readonly moved: (pool: string, replica: Replica) => void
  readonly paused: (pool: string, ...how: Parameters<NonNullable<ReplicaEvents['paused']>>) => void
  readonly drained: (pool: string, replica: Replica | undefined, drained: boolean) => void
  readonly complained: (pool: string, cause: string | undefined) => void
  readonly learned: (pool: string, ...how: Parameters<NonNullable<ReplicaEvents['learned']>>) => void
  readonly reported: (pool: string, ...what: Parameters<NonNullable<ReplicaEvents['reported']>>) => void
  readonly gotFirstToken: (pool: string, ...what: Parameters<NonNullable<ReplicaEvents['gotFirstToken']>>) => void
  /** Lends places of a pool, or of one of its replicas; without it all places are this process' own. */
  readonly lenderOf?: (pool: string, replica?: string) => Lender
}

/** Passes on to other processes and gateways what this one has under way at replicas, and what it knows of their caches. */
export interface BalanceSharing {
  readonly loaded: (pool: string, replica: Replica) => void
  readonly marked: (pool: string, replica: Replica, marks: DomainMarks) => void
  readonly emptied: (pool: string, replica: Replica) => void
  readonly tellsAll: () => boolean
  /** A conversation stays at a pool, or no longer does. */
  readonly stayed: (pool: string, stay: Stay) => void
}

/** This process's state of every pool. It outlives the configuration; other processes have states of their own. */
export class Pools {
  /** Who shares cached prefixes. Until the store names the seed of all gateways, this process has one of its own. */
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
  /** Called when a pool or a replica may be used again. */
  readonly #waiting = new Set<() => void>()

  constructor(changed: ReplicaChanged = () => {}) {
    this.#changed = changed
  }

  /** An operator wants no new requests at a pool, or at one of its replicas; or wants them again. Whether that is a change. */
  drain(pool: string, replica: Replica | undefined, drained: boolean): boolean {
    const place = replica ?? this.of(pool)
    if (place.drained === drained) return false
    place.drained = drained
    if (drained && !replica) this.of(pool).slots.dismiss()
    this.#sharing?.drained(pool, replica, drained)
    if (!drained) this.#isUsable()
    return true
  }

  /** From now on `run` is called when a pool or a replica may be used again. The result ends that. */
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

  /** From now on `hear` gets each request at a pool that a canary of its model is compared at. */
  followOutcomes(hear: (outcome: ComparedOutcome) => void): void {
    this.#hearOutcome = hear
  }

  /** A request ended at a pool that a canary is compared at. */
  compared(outcome: ComparedOutcome): void {
    this.#hearOutcome(outcome)
  }

  /** Other processes send to the same replicas. */
  shareBalance(sharing: BalanceSharing): void {
    this.#balanceSharing = sharing
  }

  /** A pool served a conversation, or another one did. */
  stay(pool: string, stay: Stay, now: EpochMs): void {
    if (this.stays.set(stay, now)) this.#balanceSharing?.stayed(pool, stay)
  }

  /** A pool's slots are no longer leased from the store: another process lends them, or all are this process' own. */
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

  /** Drains these places, and no others. Names of the pools that change by it. */
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

  /** Each pool that was looked at, by its name. */
  get known(): ReadonlyMap<string, PoolState> {
    return this.#states
  }

  /** A failure that every replica of the pool would meet. */
  failed(pool: Pool, now: EpochMs, ejection: Ejection): void {
    for (const { breaker } of this.of(pool.name).replicas(pool)) breaker.failed(now, ejection)
  }
}

/** The less busy of two random replicas, `random` giving numbers in [0, 1). */
export function lessBusy(replicas: readonly Replica[], random: () => number): Replica | undefined {
  const first = Math.floor(random() * replicas.length)
  // The second is another one: an offset of 1 to length - 1.
  const second = (first + 1 + Math.floor(random() * (replicas.length - 1))) % replicas.length
  const [a, b] = [replicas[first], replicas[second]]
  return a && b && requestsAt(b) < requestsAt(a) ? b : a
}

const requestsAt = ({ atUrl }: Replica): number =>
  atUrl.reduce((sum, { inFlight, elsewhere }) => sum + inFlight + elsewhere.inFlight, 0)

/** Alarms when a replica is ejected, whether requests or probes found it failing, and when it is back. */
export const reportReplicas =
  (alarm: Alarm, clock: Clock): ReplicaChanged =>
  (pool, { url, breaker, probed }) => {
    const now = clock.now()
    if (breaker.state(now) === 'closed') return alarm('a replica is back', { pool, replica: url })
    const probe = probed?.error === undefined ? {} : { probe: probed.error }
    alarm('a replica is ejected', { pool, replica: url, failures: breaker.failures, ...probe })
  }

/** Alarms when no replica of a pool can be used, once for each cause, and when the pool answers again. */
export function reportPool(alarm: Alarm, pool: string, state: PoolState, cause: string | undefined): void {
  if (state.complaint === cause) return
  state.complain(cause)
  if (cause === undefined) alarm('a pool can be used again', { pool })
  else alarm('a pool cannot be used: are its address, key, model and account right?', { pool, cause })
}
