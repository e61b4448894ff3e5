import type { EpochMs, Millis, Pool } from '../../policy/config.ts'
import { countedWork } from '../../policy/queue/work.ts'
import type { Usage } from '../../wire/usage/usage.ts'
import type { AdmittedCall } from '../admission/admit.ts'
import type { AnswerEnd, Ended, NoAnswer, Work } from '../attempt/outcome.ts'
import type { ReplicaPick } from '../balance/pool-balance.ts'
import type { Call } from '../call.ts'
import { isOwnFault, OWN_FAULT_HINT } from '../own-faults.ts'
import { reportPool } from '../pools/alarms.ts'
import type { Ejection, Trial } from '../pools/breaker.ts'
import type { Pools } from '../pools/pools.ts'
import { isBroken, type Replica } from '../pools/replica.ts'
import type { PoolState } from '../pools/state.ts'
import type { AttemptResult, PromptTokens } from '../ports.ts'
import type { AttemptReport } from './attempt-report.ts'
import type { FailoverPorts } from './failover-ports.ts'
import type { UpstreamPorts } from './ports.ts'
import { NO_WORK, type Room } from './room.ts'

/**
 * One attempt, from its beginning to the end of its answer. It has a slot of its pool and a part of the pool's budget, and
 * it ends once: then it gives both back, and reports to the breaker of its replica, counters and traces how it ended.
 *
 *   state      answers    failed  end
 *   trying     answering  ended   !
 *   answering  !          !       ended
 *   ended      !          –       –
 *
 * At `–` nothing changes, and `!` throws: only an error of ours leads there.
 */
export class InFlightAttempt {
  readonly #ports: FailoverPorts
  readonly #destination: Destination
  readonly #ejection: Ejection
  readonly #room: Omit<Room, 'replica'>
  readonly #report: AttemptReport
  readonly #trial: Trial
  #state: 'trying' | 'answering' | 'ended' = 'trying'
  #status = 200

  constructor(
    ports: FailoverPorts,
    destination: Destination,
    ejection: Ejection,
    room: Omit<Room, 'replica'>,
    report: AttemptReport,
  ) {
    this.#ports = ports
    this.#destination = destination
    this.#ejection = ejection
    this.#room = room
    this.#report = report
    this.#takeLoad()
    this.#trial = destination.replica.breaker.begin()
    if (destination.isRetry) this.#poolState.retrying++
  }

  /** The replica answers, with this status, though the answer is not over. */
  answers(status = 200): void {
    if (this.#state !== 'trying') throw new Error(`an attempt that is ${this.#state} cannot answer`)
    this.#state = 'answering'
    const { pool, replica, isRetry } = this.#destination
    this.#status = status
    replica.breaker.answers(this.#ports.clock.now(), this.#trial)
    replica.brokeOff = false
    this.#computed()
    if (isRetry) this.#poolState.retrying--
    reportPool(this.#ports.alarm, pool.name, this.#poolState, undefined)
  }

  /** There is no answer. */
  failed(outcome: NoAnswer): void {
    if (this.#state === 'ended') return
    if (this.#state === 'answering') throw new Error('an attempt that is answering cannot come to nothing')
    this.#report.failed(outcome)
    const { alarm, client, clock, account, isGuest } = this.#ports
    const { pool, replica } = this.#destination
    if (outcome.kind === 'failed') replica.brokeOff ||= isBroken(outcome.cause)
    this.#conclude(client.gone ? 'nothing' : verdictOf(outcome), outcome.kind === 'rejected' ? undefined : outcome.work)
    if (outcome.kind !== 'failed') return
    const { cause, pause, blame, sure, misfit } = outcome
    if (misfit !== undefined) reportMisfit(this.#ports, pool, misfit)
    if (isOwnFault(cause)) reportOwnFault(this.#ports, cause)
    // Other accounts may still be served: they wait once the replica asks them to wait as well.
    if (pause !== undefined) replica.cool(clock.now(), isGuest ? { ...pause, isOfGuest: true } : pause, account)
    if (blame === 'pool' && sure) reportPool(alarm, pool.name, this.#poolState, cause)
  }

  /** The answer is over, and the backend has done this. */
  end(how: AnswerEnd, work: Ended): void {
    if (this.#state === 'ended') return
    if (this.#state === 'trying') throw new Error('an attempt that is trying has no answer to end')
    this.#report.over(how, work, this.#status)
    const { client } = this.#ports
    const { pool, replica } = this.#destination
    // A gateway that shuts down breaks connections of good replicas.
    const isFailure = how === 'failed' && !client.gone
    this.#learnOfCache(how, work)
    if (isFailure) replica.brokeOff ||= isBroken(work.cause ?? '')
    this.#conclude(how === 'failed' && client.gone ? 'nothing' : VERDICTS[how], work)
    if (isFailure) this.#ports.checkHealth(pool, replica, { cause: work.cause ?? '' })
  }

  get #poolState(): PoolState {
    return this.#ports.pools.of(this.#destination.pool.name)
  }

  /** Counts the prompt at the replica, whose cache will have it. */
  #takeLoad(): void {
    const { pick, replica } = this.#destination
    replica.takes(pick)
    if (pick) this.#poolState.balance.sent(pick, replica)
  }

  /** The replica has read the prompt, or will not. */
  #computed(): void {
    const { pick, replica } = this.#destination
    replica.computed(pick)
  }

  /** Compares what the replica had cached with what it was expected to have. */
  #learnOfCache(how: AnswerEnd, { usage }: Ended): void {
    const { pick, replica } = this.#destination
    const { balance } = this.#poolState
    // Only chats have a prompt that is compared.
    if (!usage || !this.#ports.balanced) return
    balance.count(usage, pick, replica)
    if (pick && how === 'well') balance.answered(pick, replica, usage.cachedTokens)
  }

  /** Frees the slot of the pool. In a queue, the work of the request is put right before the next one gets its turn. */
  #leaveSlot(work: Work | undefined, isTrying: boolean): void {
    const { slots } = this.#poolState
    const { queued } = this.#room
    if (!queued) {
      slots.free()
      return
    }
    const { clock, client } = this.#ports
    const { request, kept } = queued
    const usage = work?.usage
    if (usage && !isTrying) slots.fair.lengths.learn(request.account, usage.outputTokens)
    // A client that leaves before anything was counted has taken what was expected.
    const unknown = isTrying && !client.gone ? NO_WORK : request.tokens
    slots.fair.end(request, usage ? countedWork(usage) : unknown, clock)
    kept.keep(slots, request)
  }

  /** Gives back what the attempt held, and reports to the breaker what its end says of the replica. */
  #conclude(verdict: ReplicaVerdict, work: Work | undefined): void {
    const isTrying = this.#state === 'trying'
    const isRetrying = isTrying && this.#destination.isRetry
    this.#state = 'ended'
    const { expenses, pools, clock } = this.#ports
    const { pool, replica } = this.#destination
    this.#room.reservation.settle(expenses.costOf(pool, work))
    this.#room.firstToken?.ended(clock.now())
    replica.slots.free()
    if (isTrying) this.#computed()
    replica.frees(this.#destination.pick)
    this.#leaveSlot(work, isTrying)
    if (isRetrying) this.#poolState.retrying--
    const now = clock.now()
    if (verdict === 'serves') replica.breaker.succeeded(now, this.#trial)
    else if (verdict === 'fails') replica.breaker.failed(now, this.#ejection, this.#trial)
    else if (verdict === 'failed-this') replica.breaker.failed(now, this.#ejection, this.#trial, true)
    else replica.breaker.ended(this.#trial)
    if (verdict === 'pool-fails') pools.failed(pool, now, this.#ejection)
  }
}

/** Where a request goes. */
export interface Destination {
  readonly pool: Pool
  readonly replica: Replica
  /** The second attempt in the pool. */
  readonly isRetry: boolean
  /** How the replica was chosen, where that was by the prompt. */
  readonly pick?: ReplicaPick | undefined
}

/**
 * The verdict on a replica by the end of a request: that it serves, that it or its whole pool fails, that it failed this
 * request, which may be the request's doing, or nothing.
 */
type ReplicaVerdict = 'serves' | 'fails' | 'pool-fails' | 'failed-this' | 'nothing'

const VERDICTS: Readonly<Record<AnswerEnd, ReplicaVerdict>> = { well: 'serves', failed: 'failed-this', left: 'nothing' }

function verdictOf(outcome: NoAnswer): ReplicaVerdict {
  // A refused request says nothing about the replica's health.
  if (outcome.kind !== 'failed' || outcome.blame === 'none') return 'nothing'
  if (outcome.blame === 'pool') return outcome.sure ? 'pool-fails' : 'nothing'
  return outcome.sure ? 'fails' : 'failed-this'
}

const REPORT_EVERY: Millis = 60_000
const reportedAt = new WeakMap<Pools, EpochMs>()

/** Once a minute for the process: every request would meet it. */
function reportOwnFault({ pools, clock, alarm }: FailoverPorts, cause: string): void {
  const now = clock.now()
  if (now - (reportedAt.get(pools) ?? Number.NEGATIVE_INFINITY) < REPORT_EVERY) return
  reportedAt.set(pools, now)
  alarm('the gateway itself cannot open connections to backends; no replica is blamed', {
    cause,
    hint: OWN_FAULT_HINT,
  })
}

const misfitsReported = new WeakMap<PoolState, EpochMs>()

/** Once a minute for each pool: every request would meet it. */
function reportMisfit({ pools, clock, alarm }: FailoverPorts, { name, model }: Pool, misfit: string): void {
  const state = pools.of(name)
  const now = clock.now()
  if (now - (misfitsReported.get(state) ?? Number.NEGATIVE_INFINITY) < REPORT_EVERY) return
  misfitsReported.set(state, now)
  alarm('a pool does not answer as the configuration says; no replica is blamed', {
    ...{ pool: name, model, answer: misfit },
    hint: 'svcctl doctor compares the two',
  })
}

/** Call this before each attempt. */
export function reportAttempt(
  { counter }: Pick<UpstreamPorts, 'counter'>,
  { trace }: Pick<Call, 'trace'>,
  { decision, hold }: Pick<AdmittedCall, 'decision' | 'hold'>,
  { pool, replica, pick }: { readonly pool: Pool; readonly replica: string; readonly pick?: ReplicaPick | undefined },
): AttemptReport {
  const span = trace?.attempt({
    model: decision.model.name,
    pool: pool.name,
    replica,
    backendModel: pool.model,
    maxTokens: hold.output,
  })
  if (pick) counter.picked(pool.name, pick.why)
  const report = (result: AttemptResult, status: number | undefined, work?: Work) => {
    counter.attempt(pool.name, replica, result)
    span?.end({ result, ...(status !== undefined && { status }), ...(work?.usage && { usage: work.usage }) })
  }
  return {
    traceparent: span?.traceparent,
    failed: outcome => report(resultOf(outcome), outcome.kind === 'left' ? undefined : statusIn(outcome.cause)),
    over: (end, work, status) => {
      report(RESULTS[end], status, work)
      if (decision.model.kind === 'chat' && work.usage)
        counter.promptCounted(pool.name, promptTokens(work.usage, pick?.expectedTokens))
      if (work.skippedEvents !== undefined) counter.skippedEvents(pool.name, replica, work.skippedEvents)
    },
  }
}

/** The parts of a prompt, as its backend counted it. */
function promptTokens({ inputTokens, cachedTokens = 0 }: Usage, expected = 0): PromptTokens {
  const cached = Math.min(cachedTokens, inputTokens)
  return { cached, computed: inputTokens - cached, expected: Math.min(expected, inputTokens) }
}

const RESULTS: Readonly<Record<AnswerEnd, AttemptResult>> = { well: 'ok', failed: 'interrupted', left: 'left' }

function resultOf(outcome: NoAnswer): AttemptResult {
  if (outcome.kind !== 'failed') return outcome.kind
  const { cause } = outcome
  const status = statusIn(cause)
  if (status !== undefined) return status === 429 ? 'rate_limited' : 'status'
  if (/timeout|^silence$/i.test(cause)) return 'timeout'
  // Codes of the system and of the client: ECONNRESET, UND_ERR_SOCKET.
  return /^[A-Z][A-Z0-9_]+$/.test(cause) ? 'connection' : 'malformed'
}

function statusIn(cause: string): number | undefined {
  const status = /^status (\d{3})\b/.exec(cause)?.[1]
  return status === undefined ? undefined : Number(status)
}
