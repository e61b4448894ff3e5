import type { BackendSettings } from '../../config/settings.ts'
import type { EpochMs, Millis, Pool } from '../../policy/config.ts'
import type { ExhaustedDenial } from '../../policy/denial.ts'
import { ZERO_USD } from '../../policy/nano-usd.ts'
import type { FirstToken } from '../attempt/first-token.ts'
import type { BackendMessage, Failed, Failure, Outcome, Rejected, Work } from '../attempt/outcome.ts'
import type { ReplicaPick } from '../balance/pool-balance.ts'
import type { HealthVerdict } from '../health/check.ts'
import { KeptSlot } from '../pools/kept-slot.ts'
import type { Replica } from '../pools/replica.ts'
import type { Client, Clock } from '../ports.ts'
import { afterOrDisconnect } from '../timers.ts'
import { AttemptPlanner, type NextAttempt } from './attempt-planner.ts'
import type { AttemptReport } from './attempt-report.ts'
import { bothTokens, countedReport, mayBeOfRequest } from './compared-request.ts'
import type { FailoverPorts } from './failover-ports.ts'
import { InFlightAttempt } from './in-flight-attempt.ts'
import {
  type Limit,
  leaveRoom,
  leaveTurn,
  type QueuedSlot,
  type Taken,
  takeReplica,
  takeRest,
  takeRoom,
} from './room.ts'
import { type QueueLimit, takeTurn } from './turn-in-queue.ts'

/** Tries the pools in order until one answers; `context` is the context size of a pool that sets none. */
export const failover = <T, A>(
  ports: FailoverPorts,
  pools: readonly Pool[],
  context: number,
  outbound: Outbound<T, A>,
): Promise<Attempted<A>> => new Failover(ports, pools, context, outbound).run()

/** One request, as it is sent to one replica after another. */
export interface Outbound<T, A> {
  /** Creates the report of an attempt, before it starts. */
  report(place: AttemptPlace): AttemptReport
  /** The request to a replica. */
  targetAt(place: AttemptPlace, traceparent: string | undefined): T
  /** Sends it, and reads the answer. */
  attempt(target: T): Promise<Outcome<A>>
  /**
   * The backends of a pool refuse a field: whether the request can be sent without it, or under another name, from now
   * on.
   */
  reword?(pool: Pool, unsupported: string): boolean
  /** The pool that answered, as its backends were actually addressed. */
  answered?(pool: Pool): Pool
}

/** The maximum of refused fields that a request is retried without. */
const MOST_REWORDED = 3

/** The shortest and the longest wait that a client is told. */
const SOONEST: Millis = 1000
const LATEST: Millis = 60_000

/** The destination of an attempt. */
export interface AttemptPlace {
  readonly pool: Pool
  readonly replica: string
  readonly fresh: boolean
  readonly settings: BackendSettings
  /** Records the first token of a stream, if that is measured. */
  readonly firstToken?: FirstToken
  /** How the replica was chosen, if by the prompt. */
  readonly pick: ReplicaPick | undefined
  /** Set if the slot is guaranteed by a share. */
  readonly isGuaranteed?: boolean | undefined
  /** Set for a copy for a mirror, for which no client waits. */
  readonly isCopy?: boolean
}

/** How the attempts at one request ended. */
export type Attempted<A> = Answered<A> | Unanswered

export interface Answered<A> {
  readonly kind: 'answered'
  readonly answer: A
  readonly pool: Pool
  readonly failures: readonly Failure[]
  /** The caller ends it with the answer. */
  readonly attempt: InFlightAttempt
}

export type Unanswered = { readonly failures: readonly Failure[] } & (
  | ({ readonly kind: 'refused' } & Omit<Rejected, 'kind' | 'cause'>)
  /** `message` quotes the last backend, if clients may read it. */
  | { readonly kind: 'exhausted'; readonly denial: ExhaustedDenial; readonly message?: BackendMessage }
  /** The client left; `dispatched` is the pool that may have worked for it. */
  | { readonly kind: 'left'; readonly dispatched?: { readonly pool: Pool; readonly work: Work } }
)

/** The next attempt, with its slot; none if a later pool comes first. */
interface TurnAt {
  readonly chosen: NextAttempt
  readonly taking: Taken | { readonly limitReached: QueueLimit } | Promise<Taken> | undefined
}

type Unsuccessful = Rejected | { readonly kind: 'failed'; readonly message?: BackendMessage }

/** Makes the attempts at one request, one after another. */
class Failover<T, A> {
  readonly #ports: FailoverPorts
  readonly #planner: AttemptPlanner
  readonly #context: number
  readonly #outbound: Outbound<T, A>
  readonly #failures: Failure[] = []
  #reworded = 0
  /**
   * Replicas that failed this request in a way that may be the request's fault, each with the verdict of its health
   * check.
   */
  readonly #suspects = new Map<Replica, Promise<HealthVerdict>>()
  /** Refusals without a reason. */
  readonly #unexplained: Rejected[] = []
  /** A canary's refusal, final unless a later pool serves the request or refuses it differently. */
  #ofCanary: Rejected | undefined
  /** The slot of a pool with a queue, between attempts. */
  #kept: KeptSlot | undefined
  /** How long queues are expected to stay full; undefined if the request met none. */
  #queuedFor: Millis | undefined

  constructor(ports: FailoverPorts, pools: readonly Pool[], context: number, outbound: Outbound<T, A>) {
    this.#ports = ports
    this.#planner = new AttemptPlanner(ports, pools)
    this.#context = context
    this.#outbound = outbound
  }

  async run(): Promise<Attempted<A>> {
    try {
      return await this.#run()
    } finally {
      this.#kept?.close()
    }
  }

  async #run(): Promise<Attempted<A>> {
    const { clock, client } = this.#ports
    let rejected: Rejected | undefined
    let message: BackendMessage | undefined
    for (;;) {
      const step = this.#planner.next(clock.now())
      if (step.kind === 'give-up') break
      if (step.after > 0) await due(step.after, clock, client)
      if (client.gone) break
      const tried = await this.#try(step)
      if (tried.kind === 'failed') message = tried.message ?? message
      else if (tried.kind !== 'rejected') return tried
      else rejected ??= tried
    }
    return this.#unserved(rejected, message)
  }

  async #unserved(rejected: Rejected | undefined, message: BackendMessage | undefined): Promise<Unanswered> {
    const { clock, client } = this.#ports
    const failures = this.#failures
    if (client.gone) return { kind: 'left', failures }
    // The pools for longer prompts failed, so the refusal by the pool that judged the prompt stands.
    const refusal = rejected ?? this.#ofCanary ?? (await this.#unexplainedRefusal())
    if (refusal) return refused(refusal, failures)
    this.#skipped()
    const denial = this.#planner.denial(clock.now())
    const wait = this.#queuedFor
    const told = wait === undefined ? denial : { ...denial, retryAfterMs: Math.min(Math.max(wait, SOONEST), LATEST) }
    return { kind: 'exhausted', denial: told, ...(message && { message }), failures }
  }

  /** Records the pools before the answering one, or all of them, that could not be tried. */
  #skipped(answered?: Pool): void {
    const { clock, compared } = this.#ports
    for (const skipped of this.#planner.skippedPools(clock.now(), answered)) {
      this.#failures.push(skipped)
      if (skipped.cause === 'ejected') compared?.passedOver(skipped.pool, this.#ejectedAt(skipped.pool))
    }
  }

  /** When the last replica of a pool was ejected. */
  #ejectedAt(pool: Pool): EpochMs {
    const replicas = this.#ports.pools.of(pool.name).replicas(pool)
    return Math.max(...replicas.map(({ breaker }) => breaker.openedAt))
  }

  /** The refusal, if every attempt was refused without a reason and all refusing replicas serve other requests. */
  async #unexplainedRefusal(): Promise<Rejected | undefined> {
    const [refusal] = this.#unexplained
    if (!refusal || this.#unexplained.length < this.#failures.length) return undefined
    const verdicts = await Promise.all(this.#suspects.values())
    return verdicts.every(({ kind }) => kind === 'serves') ? refusal : undefined
  }

  /** Makes at most one attempt, once its pool has a slot. */
  async #try(wanted: NextAttempt): Promise<Answered<A> | Unanswered | Unsuccessful> {
    const ports = this.#ports
    ports.trying(wanted.pool)
    const turn = this.#turnAt(wanted)
    const { chosen, taking } = turn instanceof Promise ? await turn : turn
    if (!taking) return { kind: 'failed' }
    const { pool, fresh } = chosen
    const room = taking instanceof Promise ? await taking : taking
    if ('limitReached' in room) return this.#full(pool, room.limitReached)
    const { replica, firstToken } = room
    const step = replica === chosen.replica ? chosen : this.#planner.moved(chosen, replica)
    // The replica may have become unhealthy while the request waited for a slot.
    if (ports.client.gone || !this.#planner.begin(step, ports.clock.now())) {
      room.reservation.settle(ZERO_USD)
      leaveRoom(ports, pool, room)
      return { kind: 'failed' }
    }
    const settings = ports.settingsOf(pool)
    const { pick } = step
    const compared = ports.compared?.attempt(pool)
    const watch = bothTokens(firstToken, compared)
    const place: AttemptPlace = {
      pool,
      replica: replica.url,
      fresh,
      settings,
      pick,
      isGuaranteed: room.queued?.request.isGuaranteed,
      ...(watch && { firstToken: watch }),
    }
    const report = countedReport(this.#outbound.report(place), compared)
    const attempt = new InFlightAttempt(ports, step, settings.eject, room, report)
    const from = ports.clock.elapsed()
    const outcome = await this.#outbound.attempt(this.#outbound.targetAt(place, report.traceparent))
    if (outcome.kind === 'answered') {
      this.#skipped(pool)
      ports.compared?.served()
      attempt.answers(outcome.status)
      const spokenTo = this.#outbound.answered?.(pool) ?? pool
      return { kind: 'answered', answer: outcome.answer, pool: spokenTo, failures: this.#failures, attempt }
    }
    attempt.failed(outcome)
    if (outcome.kind === 'left') return left(pool, outcome.work, this.#failures)
    if (outcome.kind === 'failed') return this.#failed(step, outcome, ports.clock.elapsed() - from)
    this.#failures.push({ pool, cause: outcome.cause })
    if (this.#rewords(step, outcome)) return { kind: 'failed' }
    ports.compared?.refused(pool)
    return this.#refusedBy(pool, outcome)
  }

  /**
   * Ends the attempts, except with pools for longer prompts, and after a canary's refusal: later pools show whether the
   * canary is at fault.
   */
  #refusedBy(pool: Pool, refusal: Rejected): Unsuccessful {
    if (this.#isCanary(pool)) {
      this.#planner.full(pool)
      this.#ofCanary ??= refusal
      return { kind: 'failed' }
    }
    if (refusal.tooLong) this.#planner.tooLong(pool, this.#context)
    else this.#planner.refused()
    return refusal
  }

  #isCanary(pool: Pool): boolean {
    return this.#ports.compared?.isCanary(pool) === true
  }

  /** Takes a slot for an attempt; in a pool with a queue, once it is the request's turn. */
  #turnAt(chosen: NextAttempt): TurnAt | Promise<TurnAt> {
    if (this.#ports.settingsOf(chosen.pool).queue) return this.#inTurn(chosen)
    const kept = this.#ports.kept ?? this.#kept
    const isKept = kept?.take(this.#ports.pools.of(chosen.pool.name).slots) ?? false
    return { chosen, taking: isKept ? takeReplica(this.#ports, chosen) : takeRoom(this.#ports, chosen) }
  }

  async #inTurn(chosen: NextAttempt): Promise<TurnAt> {
    const ports = this.#ports
    const { pool, pick } = chosen
    const { queue } = ports.settingsOf(pool)
    if (!queue) throw new Error(`pool ${pool.name} has no queue`)
    const kept = ports.kept ?? this.#kept ?? new KeptSlot()
    if (!ports.kept) this.#kept = kept
    const hasNext = this.#planner.hasRoomBehind(pool, ports.clock.now())
    const later = () => this.#planner.behind(pool, ports.clock.now())
    const turn = await takeTurn(ports, kept, { pool, queue, pick, hasNext, later })
    if ('goesOn' in turn) {
      this.#passesOver(pool)
      return { chosen, taking: undefined }
    }
    if ('limitReached' in turn) {
      const { account, clock, queued } = ports
      const { fair } = ports.pools.of(pool.name).slots
      const wait = fair.waitFor(account, queued.weight, clock, queue)
      this.#queuedFor = Math.min(this.#queuedFor ?? wait, wait)
      return { chosen, taking: turn }
    }
    const slot = { request: turn.request, kept }
    const again = turn.hasWaited ? this.#planner.rechoose(turn.pool, ports.clock.now()) : undefined
    if (turn.pool !== pool) return this.#laterHasRoom(pool, chosen, turn.pool, again, slot)
    const step = again ?? chosen
    return { chosen: step, taking: takeRest(ports, step, slot) }
  }

  /** A later pool had a slot first, at a replica that may no longer be usable. */
  #laterHasRoom(pool: Pool, chosen: NextAttempt, later: Pool, step: NextAttempt | undefined, slot: QueuedSlot): TurnAt {
    this.#passesOver(pool)
    if (!step) {
      leaveTurn(this.#ports, later, slot)
      return { chosen, taking: undefined }
    }
    this.#ports.trying(later)
    return { chosen: step, taking: takeRest(this.#ports, step, slot) }
  }

  /** Passes over a full pool while a later one can serve the request; it is tried again when no other is left. */
  #passesOver(pool: Pool): void {
    if (!this.#ports.client.gone) this.#failures.push({ pool, cause: 'max_concurrent' })
    this.#planner.defer(pool)
  }

  /** Nothing was sent: no slot is free. */
  #full(pool: Pool, limit: Limit | QueueLimit): Unsuccessful {
    const { client, clock } = this.#ports
    if (!client.gone) this.#failures.push({ pool, cause: limit })
    if (limit === 'max_concurrent_each') this.#planner.replicasFull(pool, clock.now())
    else this.#planner.full(pool)
    return { kind: 'failed' }
  }

  /** Whether the replica is asked again without a refused field, or with it renamed. */
  #rewords(step: NextAttempt, { unsupported }: Rejected): boolean {
    const { client, clock } = this.#ports
    if (unsupported === undefined || client.gone || this.#reworded >= MOST_REWORDED) return false
    if (!this.#outbound.reword?.(step.pool, unsupported) || !this.#planner.repeats(step, clock.now())) return false
    this.#reworded++
    return true
  }

  async #failed(step: NextAttempt, outcome: Failed, took: Millis): Promise<Unsuccessful> {
    const { pool, replica } = step
    const { cause, misfit, work } = outcome
    const failure = { pool, cause, ...(misfit !== undefined && { misfit }), ...(work && { work }) }
    this.#failures.push(failure)
    this.#ports.expenses.record(failure, this.#failures.length)
    this.#planner.failed(pool, replica, outcome, took)
    return outcome.sure || this.#ports.client.gone ? { kind: 'failed' } : this.#judged(step, outcome)
  }

  /** Judges a failure that the request may have caused: it did if the replica passes a health check. */
  async #judged({ pool, replica }: NextAttempt, failure: Failed): Promise<Unsuccessful> {
    const { message } = failure
    const failed = { kind: 'failed', ...(message && { message }) } as const
    if (mayBeOfRequest(failure)) this.#ports.compared?.refused(pool)
    // A request to retry without a pause says nothing about the replica.
    if (failure.blame === 'none' && !failure.pause) return failed
    const { cause, lacks } = failure
    const checking = this.#ports.checkHealth(pool, replica, { cause, mayLack: lacks !== undefined })
    if (failure.blame === 'pool') {
      const verdict = await checking
      if (verdict.kind !== 'serves') return { kind: 'failed' }
      return failure.refusal && !isGone(verdict, failure) ? this.#refusedBy(pool, failure.refusal) : failed
    }
    if (!failure.isOfRequest) return failed
    this.#suspects.set(replica, checking)
    if (failure.refusal) this.#unexplained.push(failure.refusal)
    if (this.#isCanary(pool) || this.#suspects.size < 2 || !this.#planner.goesOn) return failed
    const verdicts = await Promise.all(this.#suspects.values())
    if (verdicts.every(({ kind }) => kind === 'serves')) this.#planner.refused()
    return failed
  }
}

/** Whether the pool's model is missing, according to both the answer and the list of models. */
const isGone = (verdict: HealthVerdict, { message }: Failed): boolean =>
  verdict.kind === 'serves' && verdict.listsModel === false && message?.reason === 'model_not_found'

const left = (pool: Pool, work: Work | undefined, failures: readonly Failure[]): Unanswered => ({
  kind: 'left',
  ...(work && { dispatched: { pool, work } }),
  failures,
})

const refused = (
  { cause: _, unsupported: _field, ...message }: Rejected,
  failures: readonly Failure[],
): Unanswered => ({
  ...message,
  kind: 'refused',
  failures,
})

/** Resolves after the time, or when the client has left. */
const due = (time: Millis, clock: Clock, client: Client): Promise<void> =>
  new Promise(resolve => {
    afterOrDisconnect(time, clock, client, resolve)
  })
