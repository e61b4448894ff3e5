import type { Passthrough } from '../../policy/config.ts'
import type { PassthroughAsk } from '../../policy/facts.ts'
import type { CacheTime } from '../../policy/price.ts'
import { admit } from '../admission/admit.ts'
import { decisionNote } from '../admission/decisions.ts'
import { type LeasedCall, leased } from '../admission/leases.ts'
import type { Outcome } from '../attempt/outcome.ts'
import { drawn } from '../balance/draw.ts'
import type { Call } from '../call.ts'
import { healthAt } from '../infer.ts'
import { namedRequest } from '../named-request.ts'
import type { ServingPorts } from '../request.ts'
import { type Attempted, type AttemptPlace, failover, type Outbound } from '../upstream/failover.ts'
import { failoverPorts } from '../upstream/failover-ports.ts'
import { reportAttempt } from '../upstream/in-flight-attempt.ts'
import type { Unserved } from '../upstream/unanswered.ts'
import type { PassthroughTarget } from './answer.ts'

/** Admits a request of a pass-through route and has it served; where that rejects, nothing is charged. */
export async function admitted<T>(
  gateway: ServingPorts,
  call: RouteCall,
  { serve, goesOn }: Serving<T>,
): Promise<T | Extract<Unserved, { readonly denial: unknown }>> {
  const { config, settings, store, clock } = gateway
  const { requestId, keyHash, caller, confirm, route, model, bytes, cacheTime } = call
  const at = clock.now()
  const ask: PassthroughAsk = {
    kind: 'passthrough',
    path: route.name,
    textBytes: bytes,
    ...(model !== undefined && { model }),
    ...(cacheTime && { cacheTime }),
  }
  const request = drawn({ config, domains: gateway.pools.domains }, namedRequest(config, ask, call), call)
  const facts = { at, caller, request, health: healthAt(gateway, at, caller.account), signals: {} }
  const applicant = {
    requestId,
    ...(keyHash !== undefined && { keyHash }),
    ...(confirm && { confirm }),
    facts,
    ...(settings.guests && { guestsNanoUsdPerDay: settings.guests.guestsNanoUsdPerDay }),
  }
  const allowed = await admit(config, store, applicant, decisionNote(gateway, requestId))
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

/** An authenticated call of a pass-through route, whether it is a request or asks for a WebSocket. */
export interface RouteCall
  extends Pick<Call, 'requestId' | 'keyHash' | 'caller' | 'confirm' | 'headers' | 'client' | 'trying' | 'trace'> {
  readonly route: Passthrough
  /** As its client names it. */
  readonly model?: string
  /** Bytes of the body, as far as they are known. */
  readonly bytes: number
  readonly cacheTime?: CacheTime
}

/** Serves a request that is admitted. */
interface Serving<T> {
  readonly serve: (admitted: LeasedCall) => Promise<T>
  /** Whether it holds what it was granted for longer. */
  readonly goesOn: (served: T) => boolean
}

/** Sends a request of a pass-through route to one replica after the other, until one has answered. */
export function attemptRoute<T, A>(
  gateway: ServingPorts,
  call: RouteCall,
  admitted: LeasedCall,
  { targetAt, attempt }: RouteAttempts<T, A>,
): Promise<Attempted<A>> {
  const { client, trying, route, requestId } = call
  const { meter } = route
  const path = route.name.slice('/v1'.length)
  const outbound: Outbound<T, A> = {
    report: place => reportAttempt(gateway, call, admitted, place),
    targetAt: (place, traceparent) =>
      targetAt({ ...place, path, requestId, meter, ...(traceparent !== undefined && { traceparent }) }),
    attempt,
  }
  return failover(
    failoverPorts(gateway, { client, trying, bodyBytes: call.bytes }, admitted),
    admitted.decision.pools,
    0,
    outbound,
  )
}

/** The part that differs by the kind of request: the target of a replica, and how it is reached. */
interface RouteAttempts<T, A> {
  targetAt(target: RouteTarget): T
  attempt(target: T): Promise<Outcome<A>>
}

type RouteTarget = AttemptPlace & Pick<PassthroughTarget, 'path' | 'requestId' | 'meter' | 'traceparent'>
