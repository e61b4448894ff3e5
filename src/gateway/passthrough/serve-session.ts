import type { Passthrough, Pool, Upgrade } from '../../policy/config.ts'
import type { LeasedCall } from '../admission/leases.ts'
import { Ending, settlementOf, spentWith } from '../admission/settlement.ts'
import type { Gateway, Unserved } from '../request.ts'
import { type AttemptPlace, failover, type Outbound } from '../upstream/failover.ts'
import { failoverPorts } from '../upstream/failover-ports.ts'
import { type AttemptReport, reportAttempt } from '../upstream/in-flight-attempt.ts'
import type { Failure, Outcome } from '../upstream/outcome.ts'
import { unanswered } from '../upstream/unanswered.ts'
import { admitted, type PassthroughCall } from './serve-passthrough.ts'
import { Session } from './session.ts'
import { attemptSession, type SessionAnswer, type SessionTarget } from './session-answer.ts'

/** One authenticated request for a WebSocket. */
export interface SessionCall
  extends Pick<
    PassthroughCall,
    'requestId' | 'keyHash' | 'caller' | 'client' | 'trying' | 'trace' | 'model' | 'bytes'
  > {
  readonly route: Passthrough & { readonly upgrade: Upgrade }
  readonly protocols: readonly string[]
}

/** What becomes of it: a backend has opened its side. */
export type ServedSession = Unserved | OpenSession

export interface OpenSession {
  readonly kind: 'open'
  readonly admitted: LeasedCall
  readonly pool: Pool
  readonly failures: readonly Failure[]
  readonly session: Session
}

/** Opens a WebSocket at a backend for a client that may. It is admitted as a request is, and fails over until it is open. */
export const serveSession = (gateway: Gateway, call: SessionCall): Promise<ServedSession> =>
  admitted(gateway, call, {
    serve: leasedCall => open(gateway, call, leasedCall),
    goesOn: served => 'kind' in served && served.kind === 'open',
  })

async function open(gateway: Gateway, call: SessionCall, admitted: LeasedCall): Promise<ServedSession> {
  const ports = failoverPorts(gateway, call, admitted)
  const outbound = new SessionOutbound(gateway, call, admitted)
  const attempted = await failover(ports, admitted.decision.pools, 0, outbound)
  if (attempted.kind !== 'answered') return unanswered(gateway, admitted, attempted)
  const { answer, pool, failures, attempt } = attempted
  const { clock, alarm, store } = gateway
  const { route } = call
  const session = new Session({
    ...{ clock, alarm, admitted, pool, route, answer },
    holds: store.holds,
    settle: (held, ending) => {
      // The attempt cost what all rounds of the session did; the rounds before the last one are in what is held.
      attempt.end(ending.how, { ...ending, usage: spentWith(held, ending) })
      return new Ending(gateway, held, attempted).settle(ending)
    },
  })
  return { kind: 'open', admitted, pool, failures, session }
}

/** A WebSocket as it is asked for at replicas. */
class SessionOutbound implements Outbound<SessionTarget, SessionAnswer> {
  readonly #gateway: Gateway
  readonly #call: SessionCall
  readonly #admitted: LeasedCall

  constructor(gateway: Gateway, call: SessionCall, admitted: LeasedCall) {
    this.#gateway = gateway
    this.#call = call
    this.#admitted = admitted
  }

  report(place: AttemptPlace): AttemptReport {
    return reportAttempt(this.#gateway, this.#call, this.#admitted, place)
  }

  targetAt(place: AttemptPlace, traceparent: string | undefined): SessionTarget {
    const { route, requestId, protocols } = this.#call
    const admitted = this.#admitted
    return {
      ...place,
      path: route.name.slice('/v1'.length),
      requestId,
      protocols,
      meter: route.meter,
      maxMessage: route.upgrade.maxMessage,
      ...(traceparent !== undefined && { traceparent }),
      // Nothing is charged before it is open.
      dispatched: () => admitted.lease.dispatched(() => settlementOf(admitted, place.pool, NOTHING_DONE)),
    }
  }

  attempt(target: SessionTarget): Promise<Outcome<SessionAnswer>> {
    return attemptSession(this.#gateway, target, this.#call.client)
  }
}

const NOTHING_DONE = { usage: { inputTokens: 0, outputTokens: 0 }, items: 0 } as const
