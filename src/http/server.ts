import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { type Identify, identifyWith } from '../gateway/identify.ts'
import { newRequestId } from '../gateway/keys.ts'
import { ProviderUnavailable } from '../gateway/sign-in.ts'
import { StoreUnavailable } from '../gateway/store.ts'
import type { EpochMs, Millis } from '../policy/config.ts'
import type { Denial } from '../policy/denial.ts'
import { invalid, isDenial } from '../wire/body.ts'
import { denialEvent, type ErrorTerms } from '../wire/denial.ts'
import { operatorOf } from './admin-operator.ts'
import { ClientLeft } from './body.ts'
import { answerBroken, denialOf } from './broken.ts'
import { type CallNote, HttpCall } from './call.ts'
import { clientAddress } from './client-address.ts'
import { openToPages, preflight } from './cors.ts'
import type { App, Endpoint } from './endpoint.ts'
import { type Match, router } from './router.ts'

/** One finished request, for the log. */
export interface LogEntry extends CallNote {
  readonly at: EpochMs
  readonly requestId: string
  readonly method: string
  readonly path: string
  /** 499 when the client left before its answer. */
  readonly status: number
  readonly ms: Millis
}

/** A listener that serves a table of endpoints. `log` hears of every request once it is over. */
export function serve(app: App, endpoints: readonly Endpoint[], log: (entry: LogEntry) => void): Server {
  const { errors, server, brand } = app.settings
  const route = router(endpoints, app.config.defaultModel.name)
  const terms: ErrorTerms = { brand, links: { ...errors, console: server.consoleUrl } }
  const addressOf = clientAddress(server.trustedProxies)
  const identify = identifyWith(app)
  // No page may reach what operators may.
  const pages = endpoints.every(({ who }) => who !== 'operator')
  const always = pages ? openToPages(brand) : {}
  const open = new Set<HttpCall>()

  const breakOff = (socket: Duplex, denial: ReturnType<typeof denialOf>) => {
    const calls = [...open].filter(({ request }) => request.socket === socket)
    // What is written now would be taken for the answer that is under way, or the next in line.
    if (!denial || !socket.writable || calls.some(({ answering }) => answering)) return void socket.destroy()
    for (const call of calls) call.note = { ...call.note, code: denial.code }
    answerBroken(socket, denial, { ...always, 'x-request-id': newRequestId(app.clock.now(), app.random) }, terms)
  }
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    // RFC 9112 3.2.
    if (request.httpVersion === '1.1' && request.headers.host === undefined)
      return breakOff(request.socket, invalid('host', 'is required'))
    const at = app.clock.now()
    const call = new HttpCall(request, response, newRequestId(at, app.random), { terms, addressOf })
    response.setHeaders(new Map(Object.entries(always)))
    open.add(call)
    let closedAt = at
    const closed = call.closed.then(() => {
      closedAt = app.clock.now()
      open.delete(call)
    })
    const match = route(request.method ?? '', call.path)
    const answered = answer(app, identify, call, match, pages).catch(error => fail(app, call, error))
    // Both: what a request cost is known only once it is settled, even when its client has long left.
    Promise.all([closed, answered]).then(() => log(entryOf(call, at, closedAt)))
  }
  // Node would refuse a missing Host in a form that is not ours, and any expectation but 100-continue.
  return createServer({ requireHostHeader: false }, listener)
    .on('checkExpectation', listener)
    .on('clientError', (error, socket) => breakOff(socket, denialOf(error)))
}

async function answer(app: App, identify: Identify, call: HttpCall, match: Match, pages: boolean): Promise<void> {
  if (isDenial(match)) {
    const asks = pages && call.request.method === 'OPTIONS' && match.code === 'METHOD_NOT_ALLOWED'
    return asks ? preflight(call, match.allow) : call.deny(match)
  }
  const { endpoint, id } = match
  const { authorization } = call.request.headers
  switch (endpoint.who) {
    case 'anyone':
      return endpoint.run(app, call, id)
    case 'operator': {
      const operator = await operatorOf(app, authorization)
      return isDenial(operator) ? call.deny(operator) : endpoint.run(app, call, operator.by)
    }
    // Before the body: a dead key is told so even with a bad body, and costs nothing.
    case 'caller': {
      const identified = await identify.bearer(authorization)
      return isDenial(identified) ? call.deny(identified) : endpoint.run(app, call, identified)
    }
    case 'signed-in': {
      const identified = await identify.signIn(authorization)
      return isDenial(identified) ? call.deny(identified) : endpoint.run(app, call, identified.caller)
    }
  }
}

/** The one catch: what arrives here is an outage, a bug, or a client that left. */
function fail(app: App, call: HttpCall, error: unknown): void {
  if (error instanceof ClientLeft) return
  const denial = outageOf(error) ?? { code: 'INTERNAL' }
  tell(app, call, denial, error)
  const { response } = call
  if (!response.headersSent) call.deny(denial)
  // A stream that waits for its first content can still be told; SDKs make nothing of a cut.
  else if (isOpenStream(response)) response.end(denialEvent(denial, call.terms))
  else response.destroy()
}

function outageOf(error: unknown): Denial | undefined {
  if (error instanceof StoreUnavailable) return { code: 'STORE_UNAVAILABLE' }
  return error instanceof ProviderUnavailable ? { code: 'IDENTITY_UNAVAILABLE' } : undefined
}

function tell({ alarm }: App, { requestId }: HttpCall, { code }: Denial, error: unknown): void {
  // Whoever reads its keys tells of that outage, once.
  if (code === 'IDENTITY_UNAVAILABLE') return
  const unavailable = code === 'STORE_UNAVAILABLE'
  // Of an outage the reason is enough: there may be one for every request.
  const stack = error instanceof Error && !unavailable ? error.stack : undefined
  alarm(unavailable ? 'the store is unavailable' : 'unexpected error', {
    requestId,
    ...(stack === undefined ? { error: error instanceof Error ? error.message : String(error) } : { stack }),
  })
}

const isOpenStream = (response: ServerResponse): boolean =>
  !response.destroyed &&
  !response.writableEnded &&
  String(response.getHeader('content-type')).startsWith('text/event-stream')

function entryOf(call: HttpCall, at: EpochMs, closedAt: EpochMs): LogEntry {
  const { requestId, path, note, request, response } = call
  const status = call.gone ? 499 : response.statusCode
  return { at, requestId, method: request.method ?? '', path, status, ms: closedAt - at, ...note }
}
