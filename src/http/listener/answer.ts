import { ProviderUnavailable } from '../../gateway/accounts/sign-in/sign-in.ts'
import { StoreUnavailable } from '../../gateway/store/store.ts'
import type { Denial, Denied } from '../../policy/denial.ts'
import type { AnyDenial } from '../../wire/errors/codes.ts'
import type { ListenerApp } from './app.ts'
import type { HttpCall } from './call.ts'
import type { Endpoint } from './endpoint.ts'
import { ClientLeft } from './request-input.ts'
import { isShed, refuse } from './shed.ts'
import type { ListenerView, Match } from './view.ts'

/** Has the family answer a call, unless there is too much to do for it. */
export async function answer<App extends ListenerApp, Row extends Endpoint>(
  view: ListenerView<App, Row>,
  call: HttpCall,
  match: Match<Row> | Denied<AnyDenial>,
): Promise<void> {
  const { app, family } = view
  if ('denial' in match) return family.unrouted(view, call, match.denial)
  const { endpoint } = match
  if (endpoint.sheds && isShed(app, endpoint.who === 'anyone' ? 'guest' : 'unknown')) return refuse(call)
  return family.answer(view, call, match)
}

type Failing = Pick<ListenerApp, 'alarm'>

/** The one catch: what arrives here is an outage, a bug, or a client that left. */
export function fail(app: Failing, call: HttpCall, error: unknown): void {
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

function tell({ alarm }: Failing, { requestId }: HttpCall, { code }: Denial, error: unknown): void {
  // The code that reads the provider's keys reports that outage, once.
  if (code === 'IDENTITY_UNAVAILABLE') return
  const unavailable = code === 'STORE_UNAVAILABLE'
  // For an outage the reason is enough: there may be one for every request.
  const stack = error instanceof Error && !unavailable ? error.stack : undefined
  alarm(unavailable ? 'the store is unavailable' : 'unexpected error', {
    requestId,
    ...(stack === undefined ? { error: error instanceof Error ? error.message : String(error) } : { stack }),
  })
}
