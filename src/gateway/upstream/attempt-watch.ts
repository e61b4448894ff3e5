import type { LeasedCall } from '../admission/leases.ts'
import type { AttemptResult } from '../ports.ts'
import type { Call, Gateway } from '../request.ts'
import { type AnswerEnd, type Answered, type Attempted, type AttemptPlace, failover } from './failover.ts'
import { failoverPorts } from './failover-ports.ts'
import type { Failed, Left, Outcome, Rejected, Work } from './outcome.ts'

/** Tells of one attempt, once it is over, to those who count and trace. */
interface AttemptWatch {
  readonly traceparent: string | undefined
  /** It came to no answer. */
  failed(outcome: Rejected | Failed | Left): void
  /** It answered, and the answer is over. */
  over(end: AnswerEnd, work: Work, status: number): void
}

interface WatchedTerms<A> {
  /** Tokens that a pool must have room for. */
  readonly context: number
  /** Attempts of rounds before. */
  readonly failures?: number
  /** What an answer came with, where that is not always 200. */
  readonly statusOf?: (answer: A) => number
}

/** Failover of whose attempts is told to those who count and trace. `traceparent` is for the backend. */
export async function watchedFailover<A>(
  gateway: Gateway,
  call: Pick<Call, 'client' | 'trying' | 'trace'>,
  admitted: LeasedCall,
  { context, failures = 0, statusOf = always200 }: WatchedTerms<A>,
  attempt: (place: AttemptPlace, traceparent: string | undefined) => Promise<Outcome<A>>,
): Promise<Attempted<A>> {
  let last: AttemptWatch | undefined
  const ports = failoverPorts(gateway, call, admitted, failures)
  const attempted = await failover(ports, admitted.decision.pools, context, async place => {
    const loop = watchAttempt(gateway, call, admitted, place)
    const outcome = await attempt(place, loop.traceparent)
    if (outcome.kind === 'answered') last = loop
    else loop.failed(outcome)
    return outcome
  })
  return attempted.kind === 'answered' && last ? told(attempted, last, statusOf) : attempted
}

const always200 = () => 200

/** By itself: what was asked need not be kept as long as the answer lasts. */
function told<A>(
  { answer, pool, failures, over }: Answered<A>,
  loop: AttemptWatch,
  statusOf: (answer: A) => number,
): Answered<A> {
  const overAndTold = (end: AnswerEnd, work: Work) => {
    loop.over(end, work, statusOf(answer))
    over(end, work)
  }
  return { kind: 'answered', answer, pool, failures, over: overAndTold }
}

/** To be called when an attempt is about to be made. */
function watchAttempt(
  { counter }: Pick<Gateway, 'counter'>,
  { trace }: Pick<Call, 'trace'>,
  { decision, hold }: Pick<LeasedCall, 'decision' | 'hold'>,
  { pool, replica }: Pick<AttemptPlace, 'pool' | 'replica'>,
): AttemptWatch {
  const span = trace?.attempt({
    model: decision.model.name,
    pool: pool.name,
    replica,
    backendModel: pool.model,
    maxTokens: hold.output,
  })
  let isOver = false
  const tell = (result: AttemptResult, status: number | undefined, work?: Work) => {
    if (isOver) return
    isOver = true
    counter.attempt(pool.name, replica, result)
    span?.end({ result, ...(status !== undefined && { status }), ...(work?.usage && { usage: work.usage }) })
  }
  return {
    traceparent: span?.traceparent,
    failed: outcome => tell(resultOf(outcome), outcome.kind === 'left' ? undefined : statusIn(outcome.cause)),
    over: (end, work, status) => tell(RESULTS[end], status, work),
  }
}

const RESULTS: Readonly<Record<AnswerEnd, AttemptResult>> = { well: 'ok', failed: 'interrupted', left: 'left' }

function resultOf(outcome: Rejected | Failed | Left): AttemptResult {
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
