import type { PassMethod, Passthrough, Pool } from '../../policy/config.ts'
import type { Denial } from '../../policy/denial.ts'
import type { PassthroughAsk } from '../../policy/facts.ts'
import { type AdmittedCall, admit } from '../admission/admit.ts'
import { noteOf } from '../admission/decisions.ts'
import { type LeasedCall, leased } from '../admission/leases.ts'
import { settlementOf } from '../admission/settlement.ts'
import { healthAt } from '../infer.ts'
import type { PassthroughBody } from '../ports.ts'
import type { Call, Gateway, Unserved } from '../request.ts'
import type { Bill } from '../store/hold-store.ts'
import { watchedFailover } from '../upstream/attempt-watch.ts'
import type { Answered } from '../upstream/failover.ts'
import { delivered, endOf, settle, unanswered } from '../upstream/forward.ts'
import type { Failure } from '../upstream/outcome.ts'
import { attemptPassthrough } from './attempt.ts'
import type { PassthroughAnswer, PassthroughEnding } from './passthrough-answer.ts'

/** One authenticated request of a pass-through route. */
export interface PassthroughCall
  extends Pick<Call, 'requestId' | 'keyHash' | 'caller' | 'client' | 'trying' | 'trace'> {
  readonly route: Passthrough
  readonly method: PassMethod
  /** As the body names it. */
  readonly model?: string
  /** The body for a backend that knows the model by this name; absent for a request without one. */
  readonly bodyFor?: (backendModel: string) => PassthroughBody
  /** Reads the beginning of a body that is streamed, and tells what is wrong with it; to be called once it is admitted. */
  readonly look?: () => Promise<Denial | 'left' | undefined>
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
  /** To be called once it has ended; without a bill it is settled now, and to be awaited before the client gets its last byte. */
  readonly finish: (ending: PassthroughEnding) => Promise<Bill>
}

/** The life of one request of a pass-through route: through the same admission as any other, and settled as that. */
export async function servePassthrough(gateway: Gateway, call: PassthroughCall): Promise<ServedPassthrough> {
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
  const admitted = await admit(config, store.holds, applicant, noteOf(gateway, requestId))
  if ('denial' in admitted) return { kind: 'denied', ...admitted, failures: [] }

  const lease = gateway.leases.open(admitted.hold)
  try {
    const passed = await serve(gateway, call, leased(admitted, lease))
    // What is measured to its end holds until then.
    if (passed.kind !== 'passed' || passed.bill) lease.end()
    return passed
  } catch (error) {
    lease.end()
    await store.holds.refund(admitted.hold)
    throw error
  }
}

async function serve(gateway: Gateway, call: PassthroughCall, admitted: LeasedCall): Promise<ServedPassthrough> {
  const { route, requestId, method, bodyFor, client } = call
  const { meter } = route
  const found = await call.look?.()
  if (found === 'left') return unanswered(gateway, admitted, { kind: 'left', failures: [] })
  if (found) {
    await gateway.store.holds.refund(admitted.hold)
    return { kind: 'denied', denial: found, failures: [] }
  }
  const path = route.name.slice('/v1'.length)
  const attempted = await watchedFailover(gateway, call, admitted, { context: 0, statusOf }, (place, traceparent) => {
    const { pool } = place
    const body = bodyFor?.(pool.model)
    return attemptPassthrough(
      gateway,
      {
        ...{ ...place, path, requestId, method, meter, ...(body && { body }) },
        ...(traceparent !== undefined && { traceparent }),
        dispatched: usageMeter =>
          admitted.lease.dispatched(() => settlementOf(admitted, delivered(pool, usageMeter.soFar))),
      },
      client,
    )
  })
  if (attempted.kind !== 'answered') return unanswered(gateway, admitted, attempted)
  return meter.by === 'call' || meter.by === 'usage'
    ? settledNow(gateway, admitted, attempted)
    : settledLater(gateway, admitted, attempted)
}

const statusOf = ({ status }: PassthroughAnswer): number => status

/** What it costs is known before the client gets any of it. */
async function settledNow(
  gateway: Gateway,
  admitted: LeasedCall,
  { answer, pool, failures, over }: Answered<PassthroughAnswer>,
): Promise<AnsweredPassthrough> {
  const bill = await settle(gateway, admitted, delivered(pool, answer.work())).catch(error => {
    over('left', answer.abort().work)
    throw error
  })
  const finish = async (ending: PassthroughEnding) => {
    over(endOf(ending), ending.work)
    return bill
  }
  return { kind: 'passed', admitted, pool, failures, answer, bill, finish }
}

function settledLater(
  gateway: Gateway,
  admitted: LeasedCall,
  { answer, pool, failures, over }: Answered<PassthroughAnswer>,
): AnsweredPassthrough {
  return {
    kind: 'passed',
    admitted,
    pool,
    failures,
    answer,
    finish: ending => {
      over(endOf(ending), ending.work)
      return settle(gateway, admitted, delivered(pool, ending.work)).finally(() => admitted.lease.end())
    },
  }
}
