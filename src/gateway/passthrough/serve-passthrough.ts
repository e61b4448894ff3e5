import type { Passthrough, PassthroughMethod, Pool } from '../../policy/config.ts'
import type { Denied } from '../../policy/denial.ts'
import type { PassthroughAsk } from '../../policy/facts.ts'
import { type AdmittedCall, admit } from '../admission/admit.ts'
import { decisionNote } from '../admission/decisions.ts'
import { type LeasedCall, leased } from '../admission/leases.ts'
import { Ending, settlementOf } from '../admission/settlement.ts'
import { healthAt } from '../infer.ts'
import type { PassthroughBody } from '../ports.ts'
import type { Call, Gateway, Unserved } from '../request.ts'
import type { Bill } from '../store/hold-store.ts'
import { type Answered, type AttemptPlace, failover, type Outbound } from '../upstream/failover.ts'
import { failoverPorts } from '../upstream/failover-ports.ts'
import { type AttemptReport, reportAttempt } from '../upstream/in-flight-attempt.ts'
import type { Failure, Outcome } from '../upstream/outcome.ts'
import { unanswered } from '../upstream/unanswered.ts'
import { attemptPassthrough, type PassthroughAnswer, type PassthroughTarget } from './passthrough-answer.ts'

/** One authenticated request of a pass-through route. */
export interface PassthroughCall
  extends Pick<Call, 'requestId' | 'keyHash' | 'caller' | 'client' | 'trying' | 'trace'> {
  readonly route: Passthrough
  readonly method: PassthroughMethod
  /** As the body names it. */
  readonly model?: string
  /** The body for a backend that knows the model by this name; absent for a request without one. */
  readonly bodyFor?: (backendModel: string) => PassthroughBody
  /** Reads the beginning of a body that is streamed, and returns what is wrong with it; to be called once it is admitted. */
  readonly look?: () => Promise<Denied | 'left' | undefined>
  /** Of the body, as far as they are known. */
  readonly bytes: number
}

/** What becomes of a request of a pass-through route. */
export type ServedPassthrough = Unserved | AnsweredPassthrough

export interface AnsweredPassthrough {
  readonly kind: 'passed'
  readonly admitted: AdmittedCall
  readonly pool: Pool
  readonly failures: readonly Failure[]
  readonly answer: PassthroughAnswer
  /** What it cost, where that is settled before the answer begins. */
  readonly bill?: Bill
  /** To be ended with the answer; without a bill it is settled then, to be awaited before the client gets its last byte. */
  readonly ending: Ending
}

/** The life of one request of a pass-through route. It is admitted and settled as an inference is. */
export const servePassthrough = (gateway: Gateway, call: PassthroughCall): Promise<ServedPassthrough> =>
  admitted(gateway, call, {
    serve: leasedCall => serve(gateway, call, leasedCall),
    // What is measured to its end holds until then.
    goesOn: passed => 'kind' in passed && passed.kind === 'passed' && !passed.bill,
  })

/** What is done with a request that is admitted. */
interface Serving<T> {
  readonly serve: (admitted: LeasedCall) => Promise<T>
  /** Whether it holds what it was granted for longer. */
  readonly goesOn: (served: T) => boolean
}

/** Admits a request of a pass-through route and has it served; where that rejects, nothing is charged. */
export async function admitted<T>(
  gateway: Gateway,
  call: Pick<PassthroughCall, 'requestId' | 'keyHash' | 'caller' | 'route' | 'model' | 'bytes'>,
  { serve, goesOn }: Serving<T>,
): Promise<T | Extract<Unserved, { readonly denial: unknown }>> {
  const { config, settings, store, clock } = gateway
  const { requestId, keyHash, caller, route, model, bytes } = call
  const at = clock.now()
  const request: PassthroughAsk = {
    kind: 'passthrough',
    path: route.name,
    textBytes: bytes,
    ...(model !== undefined && { model }),
  }
  const facts = { at, caller, request, health: healthAt(gateway, at, caller.account), signals: {} }
  const applicant = {
    requestId,
    ...(keyHash !== undefined && { keyHash }),
    facts,
    ...(settings.guests && { guestsNanoUsdPerDay: settings.guests.guestsNanoUsdPerDay }),
  }
  const allowed = await admit(config, store.holds, applicant, decisionNote(gateway, requestId))
  if ('denial' in allowed) return { ...allowed, failures: [] }

  const lease = gateway.leases.open(allowed.hold)
  try {
    const served = await serve(leased(allowed, lease))
    if (!goesOn(served)) lease.end()
    return served
  } catch (error) {
    lease.end()
    await store.holds.refund(allowed.hold)
    throw error
  }
}

async function serve(gateway: Gateway, call: PassthroughCall, admitted: LeasedCall): Promise<ServedPassthrough> {
  const found = await call.look?.()
  if (found === 'left') return unanswered(gateway, admitted, { kind: 'left', failures: [] })
  if (found) {
    await gateway.store.holds.refund(admitted.hold)
    return { denial: found.denial, failures: [] }
  }
  const ports = failoverPorts(gateway, call, admitted)
  const outbound = new PassthroughOutbound(gateway, call, admitted)
  const attempted = await failover(ports, admitted.decision.pools, 0, outbound)
  if (attempted.kind !== 'answered') return unanswered(gateway, admitted, attempted)
  return attempted.answer.isPaidFirst
    ? settledNow(gateway, admitted, attempted)
    : settledLater(gateway, admitted, attempted)
}

/** What it costs is known before the client gets any of it. */
async function settledNow(
  gateway: Gateway,
  admitted: LeasedCall,
  answered: Answered<PassthroughAnswer>,
): Promise<AnsweredPassthrough> {
  const { answer, pool, failures, attempt } = answered
  const ending = new Ending(gateway, admitted, answered)
  try {
    const bill = await ending.settle(answer.work())
    return { kind: 'passed', admitted, pool, failures, answer, bill, ending }
  } catch (error) {
    attempt.end('left', answer.abort())
    throw error
  }
}

function settledLater(
  gateway: Gateway,
  admitted: LeasedCall,
  answered: Answered<PassthroughAnswer>,
): AnsweredPassthrough {
  const { answer, pool, failures } = answered
  admitted.lease.speaking(() => settlementOf(admitted, pool, answer.work()))
  return { kind: 'passed', admitted, pool, failures, answer, ending: new Ending(gateway, admitted, answered) }
}

/** A request of a pass-through route as it is sent to replicas. */
class PassthroughOutbound implements Outbound<PassthroughTarget, PassthroughAnswer> {
  readonly #gateway: Gateway
  readonly #call: PassthroughCall
  readonly #admitted: LeasedCall

  constructor(gateway: Gateway, call: PassthroughCall, admitted: LeasedCall) {
    this.#gateway = gateway
    this.#call = call
    this.#admitted = admitted
  }

  report(place: AttemptPlace): AttemptReport {
    return reportAttempt(this.#gateway, this.#call, this.#admitted, place)
  }

  targetAt(place: AttemptPlace, traceparent: string | undefined): PassthroughTarget {
    const { pool } = place
    const { route, requestId, method, bodyFor } = this.#call
    const body = bodyFor?.(pool.model)
    const admitted = this.#admitted
    return {
      ...place,
      path: route.name.slice('/v1'.length),
      requestId,
      method,
      meter: route.meter,
      ...(body && { body }),
      ...(traceparent !== undefined && { traceparent }),
      dispatched: usageMeter => admitted.lease.dispatched(() => settlementOf(admitted, pool, usageMeter.soFar)),
    }
  }

  attempt(target: PassthroughTarget): Promise<Outcome<PassthroughAnswer>> {
    return attemptPassthrough(this.#gateway, target, this.#call.client)
  }
}
