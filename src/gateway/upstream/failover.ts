import type { BackendSettings } from '../../config/settings.ts'
import type { EpochMs, Millis, Pool } from '../../policy/config.ts'
import type { ExhaustedDenial } from '../../policy/denial.ts'
import { ZERO_USD } from '../../policy/nano-usd.ts'
import type { Alarm, Client, Clock } from '../ports.ts'
import { afterOrDisconnect } from '../timers.ts'
import { AttemptPlanner, type NextAttempt } from './attempt-planner.ts'
import type { Allowance, Expenses } from './expenses.ts'
import { InFlightAttempt, type ReplicaVerdict } from './in-flight-attempt.ts'
import {
  type Failed,
  type Failure,
  isOwnFault,
  type Left,
  type Outcome,
  type Rejected,
  type Told,
  type Work,
} from './outcome.ts'
import type { Pools, Replica } from './pools.ts'
import { reportPool } from './pools.ts'
import type { Verdict } from './question.ts'
import type { Slots } from './slots.ts'

export interface FailoverPorts {
  readonly pools: Pools
  readonly clock: Clock
  /** Gives numbers in [0, 1). */
  readonly chance: () => number
  readonly alarm: Alarm
  readonly client: Client
  readonly settingsOf: (pool: Pool) => BackendSettings
  readonly expenses: Expenses
  /** Hears of each attempt before it is made. */
  readonly trying: (pool: Pool) => void
  /** Whose request it is. */
  readonly account: string
  /** Asks a replica that failed whether it fails us too, and tells its breaker. Never rejects. */
  readonly inquire: (pool: Pool, replica: Replica) => Promise<Verdict>
}

/** Where an attempt goes. */
export interface AttemptPlace {
  readonly pool: Pool
  readonly replica: string
  readonly fresh: boolean
  readonly settings: BackendSettings
}

/** How the attempts at one request ended. */
export type Attempted<A> = Answered<A> | Unanswered

export interface Answered<A> {
  readonly kind: 'answered'
  readonly answer: A
  readonly pool: Pool
  readonly failures: readonly Failure[]
  /** To be called once the answer has ended, with what the backend did. */
  readonly over: (end: AnswerEnd, work: Work) => void
}

export type Unanswered = { readonly failures: readonly Failure[] } & (
  | ({ readonly kind: 'refused' } & Omit<Rejected, 'kind' | 'cause'>)
  /** `told` is what the last backend said of the request, where that is for clients. */
  | { readonly kind: 'exhausted'; readonly denial: ExhaustedDenial; readonly told?: Told }
  /** The client left; `dispatched` is the pool that may have worked for it. */
  | { readonly kind: 'left'; readonly dispatched?: { readonly pool: Pool; readonly work: Work } }
)

/** How an answer ended: a client that leaves blames no replica. */
export type AnswerEnd = 'well' | 'failed' | 'left'

/** Tries the pools in order until one answers; `context` is how many tokens a pool takes that does not say. */
export async function failover<A>(
  ports: FailoverPorts,
  pools: readonly Pool[],
  context: number,
  attempt: (place: AttemptPlace) => Promise<Outcome<A>>,
): Promise<Attempted<A>> {
  const { clock, client } = ports
  const planner = new AttemptPlanner(ports, pools)
  const failures: Failure[] = []
  const asked = { ports, planner, failures, attempt, context, suspects: new Map<Replica, Promise<Verdict>>() }
  let rejected: Rejected | undefined
  let told: Told | undefined
  for (;;) {
    const step = planner.next(clock.now())
    if (step.kind === 'give-up') return unserved(ports, planner, failures, { rejected, told })
    if (step.after > 0) await due(step.after, clock, client)
    if (client.gone) return { kind: 'left', failures }
    const tried = await tryOnce(asked, step)
    if (tried.kind === 'failed') told = tried.told ?? told
    else if (tried.kind !== 'rejected') return tried
    else rejected ??= tried
  }
}

/** What backends said of a request that none of them served. */
interface Said {
  readonly rejected: Rejected | undefined
  readonly told: Told | undefined
}

function unserved(
  { client, clock }: FailoverPorts,
  planner: AttemptPlanner,
  failures: Failure[],
  { rejected, told }: Said,
): Unanswered {
  if (client.gone) return { kind: 'left', failures }
  // Whoever takes longer prompts failed; whoever judged this one said why.
  if (rejected) return refused(rejected, failures)
  failures.push(...planner.skippedPools(clock.now()))
  return { kind: 'exhausted', denial: planner.denial(clock.now()), ...(told && { told }), failures }
}

interface Asked<A> {
  readonly ports: FailoverPorts
  readonly planner: AttemptPlanner
  readonly failures: Failure[]
  readonly attempt: (place: AttemptPlace) => Promise<Outcome<A>>
  readonly context: number
  /** Replicas that answered this request with a status which is about the request, each with what it answers to us. */
  readonly suspects: Map<Replica, Promise<Verdict>>
}

/** At most one attempt. Tells the course what came of it, and the replica. */
async function tryOnce<A>(
  asked: Asked<A>,
  step: NextAttempt,
): Promise<Answered<A> | Unanswered | Rejected | { kind: 'failed'; told?: Told }> {
  const { ports, planner, failures } = asked
  const { pool, replica, fresh } = step
  const settings = ports.settingsOf(pool)
  ports.trying(pool)
  const taking = takeRoom(ports, pool)
  const room = taking instanceof Promise ? await taking : taking
  if ('full' in room) {
    if (!ports.client.gone) failures.push({ pool, cause: room.full })
    planner.full(pool)
    return { kind: 'failed' }
  }
  // What it was chosen by may have changed while there was no room.
  if (ports.client.gone || !planner.begin(step, ports.clock.now())) {
    room.allowance.settle(ZERO_USD)
    ports.pools.of(pool.name).slots.free()
    return { kind: 'failed' }
  }
  const begun = { inFlight: new InFlightAttempt(ports, step, settings.eject), allowance: room.allowance }
  const from = ports.clock.elapsed()
  const outcome = await asked.attempt({ pool, replica: replica.url, fresh, settings })
  if (outcome.kind === 'answered') {
    failures.push(...planner.skippedPools(ports.clock.now()))
    return answered(ports, begun, step, outcome.answer, failures)
  }
  conclude(ports, begun, step, outcome)
  switch (outcome.kind) {
    case 'left':
      return left(pool, outcome, failures)
    case 'rejected':
      failures.push({ pool, cause: outcome.cause })
      if (outcome.tooLong) planner.tooLong(pool, asked.context)
      else planner.refused()
      return outcome
    case 'failed': {
      const failure = { pool, cause: outcome.cause, ...(outcome.work && { work: outcome.work }) }
      failures.push(failure)
      ports.expenses.record(failure, failures.length)
      planner.failed(pool, replica, outcome, ports.clock.elapsed() - from)
      if (outcome.sure || ports.client.gone) return { kind: 'failed' }
      return judged(asked, step, outcome)
    }
  }
}

/** What a failure comes to that the request may have provoked: where the replica answers us, it did. */
async function judged<A>(
  { ports, planner, suspects }: Asked<A>,
  { pool, replica }: NextAttempt,
  failure: Failed,
): Promise<Rejected | { kind: 'failed'; told?: Told }> {
  const { told } = failure
  const failed = { kind: 'failed', ...(told && { told }) } as const
  // Who asks to come again, and gives no pause, says nothing of itself.
  if (failure.blame === 'nobody' && !failure.pause) return failed
  const verdictOf = ports.inquire(pool, replica)
  if (failure.blame === 'pool') {
    const verdict = await verdictOf
    if (verdict.kind !== 'serves') return { kind: 'failed' }
    if (!failure.refusal || isGone(verdict, failure)) return failed
    planner.refused()
    return failure.refusal
  }
  if (!failure.isOfRequest) return failed
  suspects.set(replica, verdictOf)
  if (suspects.size < 2 || !planner.goesOn) return failed
  const verdicts = await Promise.all(suspects.values())
  if (verdicts.every(({ kind }) => kind === 'serves')) planner.refused()
  return failed
}

/** The model of the pool is not there, as both the answer and the list of models say. */
const isGone = (verdict: Verdict, { told }: Failed): boolean =>
  verdict.kind === 'serves' && verdict.listsModel === false && told?.reason === 'model_not_found'

/** What a request holds of a pool while it is tried there. */
interface Room {
  readonly allowance: Allowance
}
interface BegunAttempt extends Room {
  readonly inFlight: InFlightAttempt
}

type Taken = Room | { readonly full: string }

/** Takes a slot of the pool, and what an attempt may cost of its hour; tells what there was no room for. */
function takeRoom(ports: FailoverPorts, pool: Pool): Taken | Promise<Taken> {
  const { slots } = ports.pools.of(pool.name)
  // Nearly always there is room, and nothing to wait for.
  return slots.takeNow(ports.settingsOf(pool)) ? takeAllowance(ports, pool, slots) : waitForRoom(ports, pool, slots)
}

async function waitForRoom(ports: FailoverPorts, pool: Pool, slots: Slots): Promise<Taken> {
  const { clock, client } = ports
  if (!(await slots.take(ports.settingsOf(pool), clock, client))) return { full: 'max_concurrent' }
  return takeAllowance(ports, pool, slots)
}

/** With a slot that was taken, which is given back where the hour has no room. */
function takeAllowance({ expenses }: FailoverPorts, pool: Pool, slots: Slots): Taken | Promise<Taken> {
  const taking = expenses.take(pool)
  return taking instanceof Promise ? allowed(taking, slots) : { allowance: taking }
}

async function allowed(taking: Promise<Allowance | undefined>, slots: Slots): Promise<Taken> {
  try {
    const allowance = await taking
    if (allowance) return { allowance }
  } catch (error) {
    slots.free()
    throw error
  }
  slots.free()
  return { full: 'max_usd_per_hour' }
}

function answered<A>(
  ports: FailoverPorts,
  { inFlight, allowance }: BegunAttempt,
  { pool, replica }: NextAttempt,
  answer: A,
  failures: readonly Failure[],
): Answered<A> {
  const { expenses, client } = ports
  inFlight.answers()
  reportPool(ports.alarm, pool.name, ports.pools.of(pool.name), undefined)
  const over = (end: AnswerEnd, work: Work) => {
    // Whoever shuts down breaks connections of good replicas.
    const isFailure = end === 'failed' && !client.gone
    inFlight.end(end === 'failed' && client.gone ? 'nothing' : REPLICA_VERDICTS[end])
    allowance.settle(expenses.costOf(pool, work))
    if (isFailure) ports.inquire(pool, replica)
  }
  return { kind: 'answered', answer, pool, failures, over }
}

const REPLICA_VERDICTS: Readonly<Record<AnswerEnd, ReplicaVerdict>> = {
  well: 'serves',
  failed: 'failed-this',
  left: 'nothing',
}

/** Gives back what an attempt without an answer held, and tells what it says of the replica. */
function conclude(
  ports: FailoverPorts,
  { inFlight, allowance }: BegunAttempt,
  { pool, replica }: NextAttempt,
  outcome: Unfit,
): void {
  const work = outcome.kind === 'rejected' ? undefined : outcome.work
  allowance.settle(ports.expenses.costOf(pool, work))
  inFlight.end(ports.client.gone ? 'nothing' : replicaVerdictOf(outcome))
  if (outcome.kind !== 'failed') return
  const { cause, pause, blame, sure } = outcome
  if (isOwnFault(cause)) reportOwnFault(ports, cause)
  // Others may be served all the same: they wait once we are told to wait as well.
  if (pause !== undefined) replica.cool(ports.clock.now(), pause, ports.account)
  if (blame === 'pool' && sure) reportPool(ports.alarm, pool.name, ports.pools.of(pool.name), cause)
}

const TELL_EVERY: Millis = 60_000
const toldAt = new WeakMap<Pools, EpochMs>()

/** Once a minute for the process: every request would meet it. */
function reportOwnFault({ pools, clock, alarm }: FailoverPorts, cause: string): void {
  const now = clock.now()
  if (now - (toldAt.get(pools) ?? Number.NEGATIVE_INFINITY) < TELL_EVERY) return
  toldAt.set(pools, now)
  const hint = 'raise the limit of open files (LimitNOFILE), or of local ports, or lower limits.connections'
  alarm('the gateway itself cannot open connections to backends; no replica is blamed', { cause, hint })
}

type Unfit = Exclude<Outcome<unknown>, { kind: 'answered' }>

function replicaVerdictOf(outcome: Unfit): ReplicaVerdict {
  // That a request is refused is its own doing: it says nothing of how others fare, for better or worse.
  if (outcome.kind !== 'failed' || outcome.blame === 'nobody') return 'nothing'
  if (outcome.blame === 'pool') return outcome.sure ? 'pool-fails' : 'nothing'
  return outcome.sure ? 'fails' : 'failed-this'
}

const left = (pool: Pool, { work }: Left, failures: readonly Failure[]): Unanswered => ({
  kind: 'left',
  ...(work && { dispatched: { pool, work } }),
  failures,
})

const refused = ({ cause: _, ...told }: Rejected, failures: readonly Failure[]): Unanswered => ({
  ...told,
  kind: 'refused',
  failures,
})

/** Resolves once the time is over, or the client has left. */
const due = (time: Millis, clock: Clock, client: Client): Promise<void> =>
  new Promise(resolve => {
    afterOrDisconnect(time, clock, client, resolve)
  })
