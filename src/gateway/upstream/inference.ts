import type { Millis, Pool } from '../../policy/config.ts'
import type { Allowed, Mutable } from '../../policy/decision.ts'
import { dialectOf } from '../../wire/dialects.ts'
import type { AnswerTerms } from '../../wire/openai/answer.ts'
import type { LeasedCall } from '../admission/leases.ts'
import { settlementOf } from '../admission/settlement.ts'
import { answerId } from '../answer/stream.ts'
import type { Call, Gateway } from '../request.ts'
import type { Target } from './attempt.ts'
import { type Attempted, type AttemptPlace, failover, type Outbound } from './failover.ts'
import { failoverPorts } from './failover-ports.ts'
import { type AttemptReport, reportAttempt } from './in-flight-attempt.ts'
import { type Outcome, UNSEEN } from './outcome.ts'

/** Sends an inference request to one pool after the other. `failures` are attempts of rounds before. */
export function forward<A>(
  gateway: Gateway,
  call: Call,
  admitted: LeasedCall,
  outbound: Inference<A>,
  failures = 0,
): Promise<Attempted<A>> {
  const { model, pools } = admitted.decision
  const context = 'context' in model ? model.context : 0
  return failover(failoverPorts(gateway, call, admitted, failures), pools, context, outbound)
}

/** An inference request as it is sent to replicas. Its bodies, and the reader of its answer, are said below it. */
export abstract class Inference<A> implements Outbound<Target, A> {
  protected readonly gateway: Gateway
  protected readonly call: Call
  protected readonly admitted: LeasedCall
  readonly #startedAt: Millis

  constructor(gateway: Gateway, call: Call, admitted: LeasedCall, startedAt = gateway.clock.elapsed()) {
    this.gateway = gateway
    this.call = call
    this.admitted = admitted
    this.#startedAt = startedAt
  }

  /** The body for the backends of a pool, in the public form. */
  protected abstract bodyFor(pool: Pool): Buffer

  abstract attempt(target: Target): Promise<Outcome<A>>

  report(place: AttemptPlace): AttemptReport {
    return reportAttempt(this.gateway, this.call, this.admitted, place)
  }

  targetAt({ pool, replica, fresh, settings }: AttemptPlace, traceparent: string | undefined): Target {
    const { admitted } = this
    const { kind } = this.call.wire.request
    const dialect = dialectOf(settings)
    const target: Mutable<Target> = {
      pool,
      replica,
      fresh,
      path: dialect.path(kind),
      kind,
      body: dialect.body(kind, this.bodyFor(pool)),
      requestId: this.call.requestId,
      settings,
      commit: admitted.decision.commit,
      streamTime: Math.max(0, settings.streamTimeout - (this.gateway.clock.elapsed() - this.#startedAt)),
      // The prompt is read from here on; images are charged once they came.
      dispatched: () => admitted.lease.dispatched(() => settlementOf(admitted, pool, UNSEEN)),
    }
    if (traceparent !== undefined) target.traceparent = traceparent
    return target
  }
}

/** What an answer that comes now is read by. */
export const answerTerms = (
  { clock }: Gateway,
  { requestId }: Call,
  { model, claims }: Allowed,
  backendModel: string,
): AnswerTerms => ({
  model,
  backendModel,
  inputTokens: claims.input,
  id: answerId(requestId),
  created: Math.floor(clock.now() / 1000),
})
