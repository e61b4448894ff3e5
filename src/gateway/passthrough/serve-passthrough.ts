import type { PassthroughMethod, Pool } from '../../policy/config.ts'
import type { Denied } from '../../policy/denial.ts'
import type { Bill } from '../../records/ledger-row.ts'
import type { AdmittedCall } from '../admission/admit.ts'
import type { LeasedCall } from '../admission/leases.ts'
import { Ending, settlementOf } from '../admission/settlement.ts'
import { Measure } from '../attempt/measure.ts'
import type { Failure } from '../attempt/outcome.ts'
import type { PassthroughBody } from '../ports.ts'
import type { ServingPorts } from '../request.ts'
import type { Answered } from '../upstream/failover.ts'
import type { Unserved } from '../upstream/unanswered.ts'
import { unanswered } from '../upstream/unanswered.ts'
import { attemptPassthrough, type PassthroughAnswer, type PassthroughTarget } from './answer.ts'
import { admitted, attemptRoute, type RouteCall } from './route-call.ts'
import type { UsageMeter } from './usage-meter.ts'

/** One authenticated request of a pass-through route. */
export interface PassthroughCall extends RouteCall {
  readonly method: PassthroughMethod
  /** The body for a backend that knows the model by this name; absent for a request without one. */
  readonly bodyFor?: (backendModel: string) => PassthroughBody
  /** Reads the beginning of a body that is streamed, and returns what is wrong with it; to be called once it is admitted. */
  readonly look?: () => Promise<Denied | 'left' | undefined>
}

/** The outcome of a request on a pass-through route. */
export type ServedPassthrough = Unserved | AnsweredPassthrough

export interface AnsweredPassthrough {
  readonly kind: 'passed'
  readonly admitted: AdmittedCall
  readonly pool: Pool
  readonly failures: readonly Failure[]
  readonly answer: PassthroughAnswer
  /** The bill, where it is settled before the answer begins. */
  readonly bill?: Bill
  /** The caller ends it with the answer. Without a bill it settles at that point, and the caller awaits it before sending the last byte. */
  readonly ending: Ending
}

/** The life of one request of a pass-through route. It is admitted and settled as an inference is. */
export const servePassthrough = (gateway: ServingPorts, call: PassthroughCall): Promise<ServedPassthrough> =>
  admitted(gateway, call, {
    serve: leasedCall => serve(gateway, call, leasedCall),
    // An answer that is measured to its end holds until then.
    goesOn: passed => 'kind' in passed && passed.kind === 'passed' && !passed.bill,
  })

async function serve(gateway: ServingPorts, call: PassthroughCall, admitted: LeasedCall): Promise<ServedPassthrough> {
  const found = await call.look?.()
  if (found === 'left') return unanswered(gateway, admitted, { kind: 'left', failures: [] })
  if (found) {
    await gateway.store.holds.refund(admitted.hold)
    return { denial: found.denial, failures: [] }
  }
  const { method, bodyFor, client } = call
  const { clock, pools } = gateway
  const attempted = await attemptRoute<PassthroughTarget, PassthroughAnswer>(gateway, call, admitted, {
    targetAt: target => {
      const { pool } = target
      const body = bodyFor?.(pool.model)
      const dispatched = (usageMeter: UsageMeter) =>
        admitted.lease.dispatched(() => settlementOf(admitted, pool, usageMeter.soFar))
      const measure = new Measure({ clock, paced: pools.of(pool.name), thinks: false })
      return { ...target, method, measure, ...(body && { body }), dispatched }
    },
    attempt: target => attemptPassthrough(gateway, target, client),
  })
  if (attempted.kind !== 'answered') return unanswered(gateway, admitted, attempted)
  return attempted.answer.isPaidFirst
    ? settledNow(gateway, admitted, attempted)
    : settledLater(gateway, admitted, attempted)
}

/** Settles an answer whose cost is known before the client gets any of it. */
async function settledNow(
  gateway: ServingPorts,
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
  gateway: ServingPorts,
  admitted: LeasedCall,
  answered: Answered<PassthroughAnswer>,
): AnsweredPassthrough {
  const { answer, pool, failures } = answered
  admitted.lease.speaking(() => settlementOf(admitted, pool, answer.work()))
  return { kind: 'passed', admitted, pool, failures, answer, ending: new Ending(gateway, admitted, answered) }
}
