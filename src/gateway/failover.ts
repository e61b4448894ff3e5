import type { BackendSettings } from '../config/settings.ts'
import type { Millis, Pool } from '../policy/config.ts'
import type { ExhaustedDenial } from '../policy/denial.ts'
import { afterOrGone } from './after-or-gone.ts'
import { Course, type Try } from './course.ts'
import type { Allowance, Expenses } from './expenses.ts'
import type { Left, Outcome, Rejected, Work } from './outcome.ts'
import { type Finding, Passage } from './passage.ts'
import type { Pools } from './pools.ts'
import type { Alarm, Client, Clock } from './ports.ts'
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
  | { readonly kind: 'refused'; readonly problem: string; readonly tooLong: boolean }
  | { readonly kind: 'exhausted'; readonly denial: ExhaustedDenial }
  /** The client left; `dispatched` is the pool that may have worked for it. */
  | { readonly kind: 'left'; readonly dispatched?: { readonly pool: Pool; readonly work: Work } }
)

/** How an answer ended: a client that leaves blames no replica. */
export type AnswerEnd = 'well' | 'failed' | 'left'

/** One attempt that failed before anything of it reached the client, or that was not even made. */
export interface Failure {
  readonly pool: Pool
  readonly cause: string
  /** What nobody pays for. */
  readonly work?: Work
}

/** Tries the pools in order until one answers; `context` is how many tokens a pool takes that does not say. */
export async function failover<A>(
  ports: FailoverPorts,
  pools: readonly Pool[],
  context: number,
  attempt: (place: AttemptPlace) => Promise<Outcome<A>>,
): Promise<Attempted<A>> {
  const { clock, client } = ports
  const course = new Course(ports, pools)
  const failures: Failure[] = []
  const asked = { ports, course, failures, attempt, context }
  let rejected: Rejected | undefined
  for (;;) {
    const step = course.next(clock.now())
    if (step.kind === 'try' && step.after > 0) await due(step.after, clock, client)
    if (client.gone) return { kind: 'left', failures }
    // Whoever takes longer prompts failed; whoever judged this one said why.
    if (step.kind === 'give-up' && rejected) return refused(rejected, failures)
    if (step.kind === 'give-up') {
      failures.push(...course.passedOver(clock.now()))
      return { kind: 'exhausted', denial: course.denial(clock.now()), failures }
    }
    const tried = await tryOnce(asked, step)
    if (tried.kind === 'rejected') rejected ??= tried
    else if (tried.kind !== 'failed') return tried
  }
}

interface Asked<A> {
  readonly ports: FailoverPorts
  readonly course: Course
  readonly failures: Failure[]
  readonly attempt: (place: AttemptPlace) => Promise<Outcome<A>>
  readonly context: number
}

/** At most one attempt. Tells the course what came of it, and the replica. */
async function tryOnce<A>(
  asked: Asked<A>,
  step: Try,
): Promise<Answered<A> | Unanswered | Rejected | { kind: 'failed' }> {
  const { ports, course, failures } = asked
  const { pool, replica, fresh } = step
  const settings = ports.settingsOf(pool)
  ports.trying(pool)
  const taking = takeRoom(ports, pool)
  const room = taking instanceof Promise ? await taking : taking
  if ('full' in room) {
    if (!ports.client.gone) failures.push({ pool, cause: room.full })
    course.full(pool)
    return { kind: 'failed' }
  }
  // What it was chosen by may have changed while there was no room.
  if (ports.client.gone || !course.enter(step, ports.clock.now())) {
    room.allowance.settle(0)
    ports.pools.of(pool.name).slots.free()
    return { kind: 'failed' }
  }
  const entered = { passage: new Passage(ports, step, settings.eject), allowance: room.allowance }
  const from = ports.clock.elapsed()
  const outcome = await asked.attempt({ pool, replica: replica.url, fresh, settings })
  if (outcome.kind === 'answered') {
    failures.push(...course.passedOver(ports.clock.now()))
    return answered(ports, entered, pool, outcome.answer, failures)
  }
  conclude(ports, entered, step, outcome)
  switch (outcome.kind) {
    case 'left':
      return left(pool, outcome, failures)
    case 'rejected':
      failures.push({ pool, cause: outcome.cause })
      if (outcome.tooLong) course.tooLong(pool, asked.context)
      else course.refused()
      return outcome
    case 'failed': {
      const failure = { pool, cause: outcome.cause, ...(outcome.work && { work: outcome.work }) }
      failures.push(failure)
      ports.expenses.record(failure, failures.length)
      course.failed(pool, replica, outcome, ports.clock.elapsed() - from)
      return outcome
    }
  }
}

/** What a request holds of a pool while it is tried there. */
interface Room {
  readonly allowance: Allowance
}
interface Entered extends Room {
  readonly passage: Passage
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
  { passage, allowance }: Entered,
  pool: Pool,
  answer: A,
  failures: readonly Failure[],
): Answered<A> {
  const { expenses, client } = ports
  passage.answers()
  complain(ports, pool, undefined)
  const over = (end: AnswerEnd, work: Work) => {
    // Whoever shuts down breaks connections of good replicas.
    passage.end(client.gone && end === 'failed' ? 'nothing' : FINDINGS[end])
    allowance.settle(expenses.costOf(pool, work))
  }
  return { kind: 'answered', answer, pool, failures, over }
}

const FINDINGS: Readonly<Record<AnswerEnd, Finding>> = { well: 'serves', failed: 'fails', left: 'nothing' }

/** Gives back what an attempt without an answer held, and tells what it says of the replica. */
function conclude(ports: FailoverPorts, { passage, allowance }: Entered, { pool, replica }: Try, outcome: Unfit): void {
  const work = outcome.kind === 'rejected' ? undefined : outcome.work
  allowance.settle(ports.expenses.costOf(pool, work))
  passage.end(ports.client.gone ? 'nothing' : findingOf(outcome))
  if (outcome.kind !== 'failed') return
  const { cause, pause, blame } = outcome
  if (pause !== undefined) replica.cool(ports.clock.now(), pause)
  if (blame === 'pool') complain(ports, pool, cause)
}

/** Tells the operator of a pool that no replica of it can be used, once for each cause, and when it answers again. */
function complain({ pools, alarm }: FailoverPorts, { name }: Pool, cause: string | undefined): void {
  const state = pools.of(name)
  if (state.complaint === cause) return
  state.complaint = cause
  if (cause === undefined) alarm('a pool can be used again', { pool: name })
  else alarm('a pool cannot be used: are its address, key, model and account right?', { pool: name, cause })
}

type Unfit = Exclude<Outcome<unknown>, { kind: 'answered' }>

function findingOf(outcome: Unfit): Finding {
  // Whoever judges a request has read it.
  if (outcome.kind === 'rejected') return 'serves'
  if (outcome.kind === 'left' || outcome.blame === 'nobody') return 'nothing'
  return outcome.blame === 'pool' ? 'pool-fails' : 'fails'
}

const left = (pool: Pool, { work }: Left, failures: readonly Failure[]): Unanswered => ({
  kind: 'left',
  ...(work && { dispatched: { pool, work } }),
  failures,
})

const refused = ({ problem, tooLong }: Rejected, failures: readonly Failure[]): Unanswered => ({
  kind: 'refused',
  problem,
  tooLong,
  failures,
})

/** Resolves once the time is over, or the client has left. */
const due = (time: Millis, clock: Clock, client: Client): Promise<void> =>
  new Promise(resolve => {
    afterOrGone(time, clock, client, resolve)
  })
