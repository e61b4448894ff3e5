import type { EpochMs, Passthrough, Pool, Upgrade } from '../../policy/config.ts'
import { choose } from '../../policy/model.ts'
import { errorTermsOf, sessionErrorEvent } from '../../wire/errors/denial.ts'
import type { SessionScope } from '../../wire/session/client-events.ts'
import type { LeasedCall } from '../admission/leases.ts'
import { Ending, settlementOf, spentWith } from '../admission/settlement.ts'
import type { Failure } from '../attempt/outcome.ts'
import type { SessionPorts } from '../request.ts'
import type { Unserved } from '../upstream/unanswered.ts'
import { unanswered } from '../upstream/unanswered.ts'
import type { ReadingTurns } from './client-messages.ts'
import { admitted, attemptRoute, type RouteCall } from './route-call.ts'
import { Session } from './session.ts'
import { attemptSession, type SessionAnswer, type SessionTarget } from './session-answer.ts'
import { KEY_EXPIRED, TOKEN_EXPIRED } from './session-end.ts'

/** One authenticated request for a WebSocket. */
export interface SessionCall extends RouteCall {
  readonly route: Passthrough & { readonly upgrade: Upgrade }
  readonly protocols: readonly string[]
  readonly turns: ReadingTurns
  /** When its key or token ends, and it with them. */
  readonly expiresAt?: EpochMs
}

/** The outcome of a session's request: none, or a session whose backend has opened its side. */
export type ServedSession = Unserved | OpenSession

export interface OpenSession {
  readonly kind: 'open'
  readonly admitted: LeasedCall
  readonly pool: Pool
  readonly failures: readonly Failure[]
  readonly session: Session
}

/** Opens a WebSocket at a backend for a client that may. It is admitted as a request is, and fails over until it is open. */
export const serveSession = (gateway: SessionPorts, call: SessionCall): Promise<ServedSession> =>
  admitted(gateway, call, {
    serve: leasedCall => open(gateway, call, leasedCall),
    goesOn: served => 'kind' in served && served.kind === 'open',
  })

async function open(gateway: SessionPorts, call: SessionCall, admitted: LeasedCall): Promise<ServedSession> {
  const { route, protocols, client, keyHash, expiresAt, turns, requestId } = call
  const { maxMessage } = route.upgrade
  const attempted = await attemptRoute<SessionTarget, SessionAnswer>(gateway, call, admitted, {
    targetAt: target => {
      // Nothing is charged before it is open.
      const dispatched = () => admitted.lease.dispatched(() => settlementOf(admitted, target.pool, NOTHING_DONE))
      return { ...target, protocols, maxMessage, dispatched }
    },
    attempt: target => attemptSession(gateway, target, client),
  })
  if (attempted.kind !== 'answered') return unanswered(gateway, admitted, attempted)
  const { answer, pool, failures, attempt } = attempted
  const { clock, alarm, pools, store, settings } = gateway
  const terms = { ...errorTermsOf(settings), requestId }
  let refusals = 0
  const session = new Session({
    ...{ clock, alarm, admitted, pool, route, answer, turns },
    scope: scopeOf(gateway, route, pool),
    refusal: (denial, of) => sessionErrorEvent(denial, terms, { id: `event_${requestId}_${refusals++}`, of }),
    ...(expiresAt !== undefined && {
      expiry: { at: expiresAt, end: keyHash === undefined ? TOKEN_EXPIRED : KEY_EXPIRED },
    }),
    holds: store.holds,
    paced: pools.of(pool.name),
    settle: (held, ending) => {
      // The attempt cost what all rounds of the session did; the rounds before the last one are in what is held.
      attempt.end(ending.how, { ...ending, usage: spentWith(held, ending) })
      return new Ending(gateway, held, attempted).settle(ending)
    },
  })
  return { kind: 'open', admitted, pool, failures, session }
}

const scopeOf = ({ config }: SessionPorts, { name: path, meter }: Passthrough, pool: Pool): SessionScope => ({
  isOwnModel: model => !('denial' in choose(config, { kind: 'passthrough', path, textBytes: 0, model })),
  backendModel: pool.model,
  providerTools: pool.providerTools,
  passes: pool.passes,
  fetches: pool.fetches,
  namesAsks: meter.by === 'usage',
})

const NOTHING_DONE = { usage: { inputTokens: 0, outputTokens: 0 }, items: 0 } as const
