import type { Pool } from '../../policy/config.ts'
import type { AdmittedCall } from '../admission/admit.ts'
import type { AttemptResult } from '../ports.ts'
import type { Call, Gateway } from '../request.ts'
import type { AnswerEnd, NoAnswer, Work } from './outcome.ts'

/** Reports one attempt, once it is over, to the counter of attempts and to the trace of its request. */
export interface AttemptReport {
  /** Of the trace, for the backend. */
  readonly traceparent?: string | undefined
  /** It came to no answer. */
  failed(outcome: NoAnswer): void
  /** It answered, and the answer is over. */
  over(end: AnswerEnd, work: Work, status: number): void
}

/** To be called when an attempt is about to be made. */
export function reportAttempt(
  { counter }: Pick<Gateway, 'counter'>,
  { trace }: Pick<Call, 'trace'>,
  { decision, hold }: Pick<AdmittedCall, 'decision' | 'hold'>,
  { pool, replica }: { readonly pool: Pool; readonly replica: string },
): AttemptReport {
  const span = trace?.attempt({
    model: decision.model.name,
    pool: pool.name,
    replica,
    backendModel: pool.model,
    maxTokens: hold.output,
  })
  const report = (result: AttemptResult, status: number | undefined, work?: Work) => {
    counter.attempt(pool.name, replica, result)
    span?.end({ result, ...(status !== undefined && { status }), ...(work?.usage && { usage: work.usage }) })
  }
  return {
    traceparent: span?.traceparent,
    failed: outcome => report(resultOf(outcome), outcome.kind === 'left' ? undefined : statusIn(outcome.cause)),
    over: (end, work, status) => report(RESULTS[end], status, work),
  }
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
