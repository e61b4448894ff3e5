import type { Identified } from '../../gateway/accounts/identified.ts'
import { ProviderUnavailable } from '../../gateway/accounts/sign-in/sign-in.ts'
import { keeperOf } from '../../gateway/responses/kept-responses.ts'
import { StoreUnavailable } from '../../gateway/store/store.ts'
import type { Denial, Denied } from '../../policy/denial.ts'
import type { AnyDenial } from '../../wire/errors/codes.ts'
import { admitAddress, admitReader, admitStranger, type Bounded } from './admit-read.ts'
import type { HttpCall } from './call.ts'
import { credentialOf, KEY_HEADERS_VARY } from './credentials.ts'
import type { App, Endpoint } from './endpoint.ts'
import type { ClientFamily, OperatorEndpoint } from './family.ts'
import type { ListenerView, Match } from './listener-view.ts'
import { refuseCaller } from './refuse-caller.ts'
import { ClientLeft } from './request-input.ts'
import { isShed, OVERLOADED, refuse } from './shed.ts'

/** Runs the endpoint of a call, for those who may call it. */
export async function answer(view: ListenerView, call: HttpCall, match: Match | Denied<AnyDenial>): Promise<void> {
  const { app, identify, family } = view
  if ('denial' in match)
    return family.of === 'clients' ? answerUnrouted(view, family, call, match.denial) : call.deny(match.denial)
  const { endpoint, id } = match
  if (endpoint.sheds && isShed(app, endpoint.who === 'anyone' ? 'guest' : 'unknown')) return refuse(call)
  switch (endpoint.who) {
    case 'anyone':
      return serveAnyone(view, call, endpoint, id)
    case 'operator':
    case 'scraper':
      return serveOperator(view, call, endpoint, id)
    // Before the body: a dead key is refused even with a bad body, and costs nothing.
    case 'caller': {
      const credential = clientCredential(call)
      const found = await (endpoint.admits ? identify.applicant(credential, call) : identify.bearer(credential, call))
      return serveKnown(app, call, match, found, known => endpoint.run(app, call, known, id))
    }
    case 'signed-in': {
      const found = await identify.signIn(clientCredential(call))
      return serveKnown(app, call, match, found, ({ caller }) => endpoint.run(app, call, caller))
    }
  }
}

type View = Pick<ListenerView, 'app' | 'identify'>

/** Answers what reaches no endpoint of a public listener. A page of another origin may ask first what it may send. */
async function answerUnrouted(view: View, family: ClientFamily, call: HttpCall, denial: AnyDenial): Promise<void> {
  const { app } = view
  // What is no request, or one too many of its address, is refused by the connection that sent it.
  if (denial.code !== 'NOT_FOUND' && denial.code !== 'METHOD_NOT_ALLOWED') return call.deny(denial)
  if (denial.code === 'METHOD_NOT_ALLOWED' && call.request.method === 'OPTIONS') {
    const crowded = admitAddress(app, call, 'preflights')
    app.countStranger('preflight', crowded ? 'limited' : 'served')
    return crowded ? call.deny(crowded.denial) : family.preflight(call, denial.allow)
  }
  const crowded = await crowdingOf(view, call, { rate: 'reads' })
  app.countStranger('path', crowded ? 'limited' : 'refused')
  call.deny((crowded ?? { denial }).denial)
}

/** Runs an endpoint for operators, whom their family knows. */
async function serveOperator(
  { app, family }: ListenerView,
  call: HttpCall,
  endpoint: OperatorEndpoint,
  id: string,
): Promise<void> {
  // The type of its table keeps such a row from clients.
  if (family.of === 'clients')
    throw new Error(`${endpoint.path} is for operators, and is among the endpoints for clients`)
  if (endpoint.who === 'scraper') {
    const denied = await family.scraperOf(app, call)
    return denied ? call.deny(denied.denial) : endpoint.run(app, call)
  }
  const operator = await family.operatorFor(app, call, endpoint)
  if ('denial' in operator) return call.deny(operator.denial)
  return endpoint.run(app, call, operator.by, id, operator.role)
}

/** Runs an endpoint that anyone may call, as often as its rate says. */
async function serveAnyone(
  view: View,
  call: HttpCall,
  endpoint: Extract<Endpoint, { readonly who: 'anyone' }>,
  id: string,
): Promise<void> {
  const crowded = await crowdingOf(view, call, endpoint)
  return crowded ? call.deny(crowded.denial) : endpoint.run(view.app, call, id)
}

/** Why a request that needs no key has to wait. Where its address has no reads left, a client with a key may have some. */
async function crowdingOf({ app, identify }: View, call: HttpCall, bounded: Bounded): Promise<Denied | undefined> {
  const crowded = admitStranger(app, call, bounded)
  const credential = crowded && clientCredential(call)
  if (!crowded || credential === undefined) return crowded
  const found = await identify.bearer(credential, call)
  return 'denial' in found ? crowded : admitReader(app, call, bounded, found)
}

/** What the client of a public endpoint sends as its credential. */
function clientCredential(call: HttpCall): string | undefined {
  const { authorization, isFromKeyHeader } = credentialOf(call.path, call.request.headers)
  if (isFromKeyHeader && call.request.method === 'GET') call.varies(KEY_HEADERS_VARY)
  return authorization
}

function serveKnown(
  app: App,
  call: HttpCall,
  { endpoint }: Exclude<Match, Denied>,
  found: Identified | Denied,
  run: (found: Identified) => Promise<void>,
): Promise<void> | void {
  if ('denial' in found) return refuseStranger(app, call, found.denial)
  const { kind, account, key } = found.caller
  call.account = account
  call.keeper = keeperOf(found)
  call.key = key?.id
  const crowded = 'rate' in endpoint && admitReader(app, call, endpoint, found)
  if (crowded) return call.deny(crowded.denial)
  if (!endpoint.sheds || !isShed(app, kind, account)) return run(found)
  call.rejectFurther()
  return refuseCaller(call, found, OVERLOADED)
}

/**
 * Refuses a client whose key is wrong or missing. Its key was looked up, which costs less than the rest of a request, also
 * where its address has nothing left: so nobody's right key waits for what others send from there.
 */
function refuseStranger(app: App, call: HttpCall, denial: Denial): void {
  const crowded = admitAddress(app, call, 'address')
  app.countStranger('credential', crowded ? 'limited' : 'refused')
  call.deny((crowded ?? { denial }).denial)
}

/** The one catch: what arrives here is an outage, a bug, or a client that left. */
export function fail(app: App, call: HttpCall, error: unknown): void {
  const { response } = call
  if (error instanceof ClientLeft || (call.wasCut && response.writableEnded)) return
  const denial = outageOf(error) ?? { code: 'INTERNAL' }
  tell(app, call, denial, error)
  // Its socket is a session's, which has an end of its own.
  if (call.isSwitched) call.request.socket.destroy()
  else if (!response.headersSent) call.deny(denial)
  // A stream that waits for its first content can still carry the error.
  else if (call.streaming) response.end(call.lastWords(denial))
  else response.destroy()
}

function outageOf(error: unknown): Denial | undefined {
  if (error instanceof StoreUnavailable) return { code: 'STORE_UNAVAILABLE' }
  return error instanceof ProviderUnavailable ? { code: 'IDENTITY_UNAVAILABLE' } : undefined
}

function tell({ alarm }: App, { requestId }: HttpCall, { code }: Denial, error: unknown): void {
  // The code that reads the provider's keys reports that outage, once.
  if (code === 'IDENTITY_UNAVAILABLE') return
  const unavailable = code === 'STORE_UNAVAILABLE'
  // Of an outage the reason is enough: there may be one for every request.
  const stack = error instanceof Error && !unavailable ? error.stack : undefined
  alarm(unavailable ? 'the store is unavailable' : 'unexpected error', {
    requestId,
    ...(stack === undefined ? { error: error instanceof Error ? error.message : String(error) } : { stack }),
  })
}
