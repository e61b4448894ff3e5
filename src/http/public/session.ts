import type { Identified } from '../../gateway/accounts/identified.ts'
import type { AdmittedCall } from '../../gateway/admission/admit.ts'
import { answerHeaders } from '../../gateway/answer/headers.ts'
import { type OpenSession, type SessionCall, serveSession } from '../../gateway/passthrough/serve-session.ts'
import { CALLER_ENDS, CLIENT_GONE, SERVICE_RESTART, type SessionEnd } from '../../gateway/passthrough/session-end.ts'
import type { SessionPorts } from '../../gateway/request.ts'
import { type Denied, invalid } from '../../policy/denial.ts'
import { ZERO_USD } from '../../policy/nano-usd.ts'
import { planOf } from '../../policy/plan.ts'
import type { Bill } from '../../records/ledger-row.ts'
import { readSocketRequest } from '../../wire/session/socket-request.ts'
import type { HttpCall } from '../listener/call.ts'
import { hasBody } from '../listener/request-form.ts'
import type { ClientApp } from './client-app.ts'
import { noteAdmitted, noteBill, noteFailures, noteRefused, traceOf } from './infer.ts'

type SocketRoute = SessionCall['route']

/** Dependencies of sessions. */
type SessionApp = SessionPorts &
  Pick<ClientApp, 'callerWatch' | 'clock' | 'config' | 'feed' | 'settings' | 'sockets' | 'traces' | 'turns'>

/** An endpoint that opens a WebSocket. A refusal before it opens is an ordinary HTTP answer. */
export function runSession(route: SocketRoute) {
  return async (app: SessionApp, call: HttpCall, identified: Identified): Promise<void> => {
    const { caller, expiresAt } = identified
    const asked = read(call, expiresAt !== undefined && expiresAt <= app.clock.now())
    if ('denial' in asked) return call.deny(asked.denial)
    const { model } = asked
    call.note.plan = planOf(app.config, caller)?.name
    call.note.asked = model ?? route.model.name
    const trying = (admitted: AdmittedCall) => {
      noteAdmitted(call, admitted)
      app.feed.began(caller.account)
    }
    const trace = traceOf(app, call, { kind: 'passthrough', stream: false })
    const served = await serveSession(app, {
      ...{ ...identified, requestId: call.requestId, client: call, trying, route, bytes: 0 },
      headers: call.request.headers,
      turns: {
        costly: work => app.turns.run(caller.account, 'costly', work),
        charge: took => app.turns.charge(caller.account, took),
      },
      ...asked,
      ...(trace && { trace }),
    })
    noteFailures(call, served)
    if ('denial' in served) {
      noteRefused(app, call, served)
      return call.deny(served.denial, served.rate)
    }
    if (served.kind === 'left') return served.bill && noteBill(call, served.bill)
    const { bill, end } = await join(app, call, route, served, identified)
    noteBill(call, bill)
    if (end.how !== 'well') call.note.interrupted = end.cause
  }
}

const EXPIRED: Denied = { denial: { code: 'INVALID_TOKEN', problem: 'The token has expired: sign in again.' } }

/** Reads a request for a WebSocket, or denies it. */
function read({ request, upgrade }: HttpCall, isExpired: boolean): ReturnType<typeof readSocketRequest> | Denied {
  // Requests tolerate a token that expired a moment ago, in case clocks differ; a session with it would end at once.
  if (isExpired) return EXPIRED
  if (!upgrade) return invalid('upgrade', 'must be websocket, in the first request of a connection')
  return hasBody(request) ? invalid('body', 'is not accepted with a WebSocket') : readSocketRequest(request)
}

/** Connects the client with the open backend. Resolves once the session has ended and settled. */
async function join(
  app: Pick<ClientApp, 'sockets' | 'settings' | 'callerWatch'>,
  call: HttpCall,
  { upgrade: { maxMessage } }: SocketRoute,
  { session, admitted, pool }: OpenSession,
  identified: Identified,
): Promise<{ readonly bill: Bill; readonly end: SessionEnd }> {
  const { sockets, settings, callerWatch } = app
  const client = !call.gone && call.upgrade && accepted(call.upgrade)
  if (!client) return { bill: await session.abandon(CLIENT_GONE), end: CLIENT_GONE }
  const restart = () => session.end(SERVICE_RESTART)
  call.onDrain(restart)
  call.onGone(restart)
  const unwatch = callerWatch.watch(identified, end => session.end(CALLER_ENDS[end]))
  try {
    return await session.run(client)
  } finally {
    unwatch()
  }

  function accepted(upgrade: NonNullable<HttpCall['upgrade']>) {
    const headers = call.switches(answerHeaders(settings.brand, admitted, pool, ZERO_USD))
    return sockets.accept(call.request, { ...upgrade.handOver(), headers, protocol: session.protocol, maxMessage })
  }
}
