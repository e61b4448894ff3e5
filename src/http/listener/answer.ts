import type { Identified } from '../../gateway/accounts/identified.ts'
import { ProviderUnavailable } from '../../gateway/accounts/sign-in/sign-in.ts'
import { keeperOf } from '../../gateway/responses/kept-responses.ts'
import { StoreUnavailable } from '../../gateway/store/store.ts'
import type { Denial, Denied } from '../../policy/denial.ts'
import type { AnyDenial } from '../../wire/errors/codes.ts'
import { operatorFor, scraperOf } from '../admin/admin-operator.ts'
import { preflight } from '../public/cors.ts'
import { admitReader, admitStranger } from './admit-read.ts'
import type { HttpCall } from './call.ts'
import { credentialOf, KEY_HEADERS_VARY } from './credentials.ts'
import type { App, Endpoint } from './endpoint.ts'
import type { ListenerView, Match } from './listener-view.ts'
import { refuseCaller } from './refuse-caller.ts'
import { ClientLeft } from './request-input.ts'
import { isShed, OVERLOADED, refuse } from './shed.ts'

/** Runs the endpoint of a call, for those who may call it. On a public listener a page of another origin may ask first what it may send. */
export async function answer(
  { app, identify }: ListenerView,
  call: HttpCall,
  match: Match | Denied<AnyDenial>,
  isPublic: boolean,
): Promise<void> {
  if ('denial' in match) {
    const { denial } = match
    const asks = isPublic && call.request.method === 'OPTIONS' && denial.code === 'METHOD_NOT_ALLOWED'
    return asks ? preflight(call, denial.allow) : call.deny(denial)
  }
  const { endpoint, id } = match
  if (endpoint.sheds && isShed(app, endpoint.who === 'anyone' ? 'guest' : 'unknown')) return refuse(call)
  switch (endpoint.who) {
    case 'anyone':
      return serveAnyone({ app, identify }, call, endpoint, id)
    case 'operator': {
      const operator = await operatorFor(app, call, endpoint)
      if ('denial' in operator) return call.deny(operator.denial)
      return endpoint.run(app, call, operator.by, id, operator.role)
    }
    case 'scraper': {
      const denied = await scraperOf(app, call)
      return denied ? call.deny(denied.denial) : endpoint.run(app, call)
    }
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

/** Where its address has no reads left, a client with a key may have some. */
async function serveAnyone(
  { app, identify }: Pick<ListenerView, 'app' | 'identify'>,
  call: HttpCall,
  endpoint: Extract<Endpoint, { readonly who: 'anyone' }>,
  id: string,
): Promise<void> {
  const crowded = admitStranger(app, call, endpoint)
  if (crowded) {
    const credential = clientCredential(call)
    const found = credential === undefined ? crowded : await identify.bearer(credential, call)
    const refused = 'denial' in found ? crowded : admitReader(app, call, endpoint, found)
    if (refused) return call.deny(refused.denial)
  }
  return endpoint.run(app, call, id)
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
  if ('denial' in found) return call.deny(found.denial)
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
