import { digest32 } from '../../policy/balance/rendezvous.ts'
import type { EpochMs, Millis } from '../../policy/config.ts'
import { type EngineReport, type Overload, overloadOf, type Spill } from '../../policy/replica-load.ts'
import type { Pause } from '../attempt/outcome.ts'
import { LoadElsewhere } from '../balance/load-elsewhere.ts'
import type { DomainMarks, Load } from '../balance/news.ts'
import { Breaker } from './breaker.ts'
import { FirstTokens } from './first-tokens.ts'
import type { Lesson } from './lessons.ts'
import { type Lender, Slots } from './slots.ts'

/** The longest Retry-After that is honoured. */
const LONGEST_COOLDOWN: Millis = 60_000

/** A replica that asks this many accounts to pause at once is paused for everybody. */
const MANY_PAUSES = 3

/** The maximum of accounts with a pause of their own at one replica. */
const MOST_PAUSES = 1000

/** Tolerance: engines compute their start time from a clock, which may be adjusted. */
const SAME_START: Millis = 1000

/** One replica of a pool. A pool has one model, so everything here is about a replica and its model. */
export class Replica {
  readonly url: string
  readonly breaker: Breaker
  /** A digest of its URL, which spreads requests that cost the same everywhere. */
  readonly place: number
  /** Requests of this process running here. */
  inFlight = 0
  /** Their prompt tokens, if the pool chooses by prompts. */
  heldTokens = 0
  /** The part of them that it still has to compute. */
  owedTokens = 0
  /** Prompt tokens of chats, as its answers to this process counted them since the start. */
  promptTokens = 0
  /** The part of them that it read from its cache. */
  cachedTokens = 0
  /** Its load from other processes and gateways. */
  readonly elsewhere = new LoadElsewhere()
  /**
   * The replicas of all pools at this URL, this one included, such as a model and its adapters: one engine does the
   * work of all.
   */
  readonly atUrl: readonly Replica[]
  /** Whether its last failure was a refused or reset connection, as from a restarting engine. */
  brokeOff = false
  /** The result of the last probe, if there was one. */
  probed?: ProbeResult
  /** Whether an operator drained it. */
  drained = false
  /** How often its engine restarted: each restart empties its caches. */
  restarts = 0
  readonly firstTokens: FirstTokens
  /** Its slots, if `max_concurrent_each` limits them. */
  readonly slots = new Slots()
  #report: EngineReport | undefined
  #pause: PauseSince = NO_PAUSE
  /** Pauses in answers to one account, whose requests may have caused them. */
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

  /** Counts a request sent here; `prompt` has its tokens, if the pool chooses by prompts. */
  takes(prompt: PromptLoad = NO_PROMPT): void {
    this.inFlight++
    this.heldTokens += prompt.heldTokens
    this.owedTokens += prompt.owedTokens
    this.#events.loaded?.(this)
  }

  /** The prompt of a request was computed, or never will be. */
  computed(prompt: PromptLoad = NO_PROMPT): void {
    if (prompt.owedTokens === 0) return
    this.owedTokens -= prompt.owedTokens
    this.#events.loaded?.(this)
  }

  /** A request ended, after its prompt was computed or given up. */
  frees(prompt: PromptLoad = NO_PROMPT): void {
    this.inFlight--
    this.heldTokens -= prompt.heldTokens
    this.#events.loaded?.(this)
  }

  /** The last load that its engine reported, of any age. */
  get report(): EngineReport | undefined {
    return this.#report
  }

  /** Records a report of the engine. Returns whether the engine restarted since the previous one. */
  reported(report: EngineReport): boolean {
    const before = this.#report?.startedAt
    // A report may lack the start time; the known one stays.
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

  /** Why requests pass this replica over; undefined if they do not. */
  overload(spill: Spill, now: EpochMs): Overload | undefined {
    const firstTokens = spill.firstTokenOver === undefined ? undefined : this.firstTokens.count(now)
    return overloadOf({ report: this.#report, firstTokens }, spill, now)
  }

  /** Pauses the replica for all requests, or for those of one account. */
  cool(now: EpochMs, { time, ...how }: Pause, account?: string): void {
    if (this.cooling(now, account) >= time) return
    const pause = { from: now, ...how, time: Math.min(time, LONGEST_COOLDOWN) }
    if (account === undefined) this.#pause = pause
    else this.#remember(account, pause)
    this.#events.paused?.(this, pause, account)
    if (account !== undefined) this.#coolAllWhereManyWait(now)
  }

  /** One account may have provoked its pause; several paying ones hardly all did. */
  #coolAllWhereManyWait(now: EpochMs): void {
    const asked = [...this.#pausesOf.values()].filter(
      pause => pause.asked && !pause.isOfGuest && leftOf(pause, now) > 0,
    )
    if (asked.length < MANY_PAUSES) return
    this.cool(now, { time: Math.min(...asked.map(pause => leftOf(pause, now))), asked: true })
  }

  /** The rest of the longest pause, of any account. */
  longestPause(now: EpochMs): Millis {
    return Math.max(leftOf(this.#pause, now), ...Array.from(this.#pausesOf.values(), pause => leftOf(pause, now)))
  }

  /** The current pauses. */
  pauses(now: EpochMs): readonly AccountPause[] {
    const all = [{ pause: this.#pause }, ...[...this.#pausesOf].map(([account, pause]) => ({ pause, account }))]
    return all.filter(({ pause }) => leftOf(pause, now) > 0)
  }

  #remember(account: string, pause: PauseSince): void {
    const [oldest] = this.#pausesOf.keys()
    if (oldest !== undefined && this.#pausesOf.size >= MOST_PAUSES) this.#pausesOf.delete(oldest)
    // Moves it to the end: the first entry is the oldest.
    this.#pausesOf.delete(account)
    this.#pausesOf.set(account, pause)
  }

  /** The rest of the pause for an account, or for all. */
  cooling(now: EpochMs, account?: string): Millis {
    return Math.max(leftOf(this.#pause, now), leftOf(this.#pauseOf(account), now))
  }

  /** Whether the replica itself asked for that pause. */
  askedForPause(now: EpochMs, account?: string): boolean {
    const [all, own] = [this.#pause, this.#pauseOf(account)]
    return leftOf(own, now) > leftOf(all, now) ? own.asked : all.asked
  }

  #pauseOf(account: string | undefined): PauseSince {
    // There is nearly never one to look up.
    if (account === undefined || this.#pausesOf.size === 0) return NO_PAUSE
    return this.#pausesOf.get(account) ?? NO_PAUSE
  }

  /** Whether a request may be sent here, after a pause of at most `patience`. */
  isUsable(now: EpochMs, patience: Millis = 0, account?: string): boolean {
    return !this.drained && this.cooling(now, account) <= patience && this.breaker.admits(now)
  }

  /** The time until a request may be sent here; infinite if drained. */
  wait(now: EpochMs, account?: string): Millis {
    return this.drained ? Number.POSITIVE_INFINITY : Math.max(this.cooling(now, account), this.breaker.wait(now))
  }
}

/** Tokens of one prompt. */
type PromptLoad = Pick<Load, 'heldTokens' | 'owedTokens'>

const NO_PROMPT: PromptLoad = { heldTokens: 0, owedTokens: 0 }

/** Whether a cause is a refused or reset connection. Timeouts do not show that a cache was lost. */
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

/** A pause of all accounts, or of one. */
interface AccountPause {
  readonly pause: PauseSince
  readonly account?: string
}

/** Events of a pool and its replicas. */
export interface ReplicaEvents {
  /** It was ejected or readmitted. */
  readonly changed: (replica: Replica) => void
  /** The shared state of its breaker changed. */
  readonly moved?: (replica: Replica) => void
  readonly paused?: (replica: Replica, pause: PauseSince, account: string | undefined) => void
  /** A refusal of an account's request taught a lesson. */
  readonly learned?: (account: string, lessons: readonly Lesson[], at: EpochMs) => void
  /** Operators were alarmed that no replica can be used, or that one can again. */
  readonly complained?: (cause: string | undefined) => void
  /** Lends slots of a replica; without a lender, all slots belong to this process. */
  readonly lenderOf?: (replica: string) => Lender | undefined
  /** Its engine restarted. */
  readonly restarted?: (replica: Replica) => void
  /** Its engine reported its load. */
  readonly reported?: (replica: Replica, report: EngineReport) => void
  /** The load of this process there changed. */
  readonly loaded?: (replica: Replica) => void
  /** Prompts were sent there with marks that others may not know. */
  readonly marked?: (replica: Replica, marks: DomainMarks) => void
  /** It lost its cache. */
  readonly emptied?: (replica: Replica) => void
  /** The replicas of all pools at a URL; the pool adds its own to them. */
  readonly replicasAt?: (url: string) => Replica[]
  /** Whether processes joined that know little of what is cached. */
  readonly tellsAll?: () => boolean
  /** Reports how long a stream waited for its first token. */
  readonly gotFirstToken?: (replica: Replica, late: boolean, at: EpochMs) => void
}

const NO_PAUSE: PauseSince = { from: 0, time: 0, asked: false }

const leftOf = ({ from, time }: PauseSince, now: EpochMs): Millis => (now < from ? 0 : Math.max(0, from + time - now))

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
