import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Server as NetServer } from 'node:net'
import type { Duplex } from 'node:stream'
import type { ListenerSettings } from '../../config/settings.ts'
import { newRequestId, pooled } from '../../gateway/accounts/keys.ts'
import type { Clock } from '../../gateway/ports.ts'
import type { EpochMs } from '../../policy/config.ts'
import { type Denied, invalid } from '../../policy/denial.ts'
import { CHAT_FORMS } from '../../wire/chosen-form.ts'
import type { AnyDenial } from '../../wire/errors/codes.ts'
import { type Log, type LogEntry, tracedEnd } from '../log-entry.ts'
import { noteRead } from './admit-read.ts'
import { answer, fail } from './answer.ts'
import type { ListenerApp, Snapshots } from './app.ts'
import { HttpCall } from './call.ts'
import type { ConnectionRelease } from './connection-release.ts'
import { Connections, type Elsewhere } from './connections.ts'
import type { Endpoint } from './endpoint.ts'
import type { EndpointFamily } from './family.ts'
import { createListener, type ListenerEvents } from './listener.ts'
import { answerBroken, denialOf, isAfterLast, isGarbage, isLate } from './malformed.ts'
import { keepPace } from './pace.ts'
import { isUneventful, LEFT } from './quiet.ts'
import { formFault } from './request-form.ts'
import type { TlsTerms } from './secure.ts'
import { Traffic } from './traffic.ts'
import { asksForWebSocket, type Upgrade } from './upgrade.ts'
import { type ListenerView, listenerViews, type Match } from './view.ts'

/**
 * While the gateway sheds load, one answer of so many ends its connection, so that clients spread over other gateways.
 * A new connection for each request would cost more than twice what the request does.
 */
const LAST_OF = 16

/** A socket that serves. */
export interface Listener {
  readonly server: Server
  /** Takes up terms of TLS that a reload changed, for connections that begin. */
  readonly renew: () => void
  /** Takes no more connections, answers no more requests but with DRAINING. Resolves once none is running. */
  drain(): Promise<void>
  /**
   * Ends running requests with an error; what was sent so far is settled. Answers that have not begun are to fail with
   * their backends first, and are given up when this is called again. Then `drain` resolves soon.
   */
  cut(): void
  /** Breaks every connection. */
  destroy(): void
}

/** The terms of a listener, beside the snapshots and endpoints that it serves. */
interface Serving {
  /** Terms of TLS, where it serves by that. */
  readonly tls?: (() => TlsTerms) | undefined
  /** The requests that other processes of the gateway serve. */
  readonly elsewhere?: Elsewhere | undefined
  /** Connections that another process of the gateway is to have. */
  readonly release?: ConnectionRelease | undefined
}

/** A listener that serves a family of endpoints. `log` gets every request once it is over. */
export function serve<App extends ListenerApp, Row extends Endpoint>(
  snapshots: Snapshots<App>,
  family: EndpointFamily<App, Row>,
  log: Log,
  { tls, elsewhere, release }: Serving = {},
): Listener {
  const isPublic = family.of === 'clients'
  const viewOf = listenerViews(family)
  const current = () => viewOf(snapshots.current)
  const limits = () => (isPublic ? current().app.settings.listener : current().uncounted)
  const { clock, alarm, random } = snapshots.current
  const connections = new Connections({
    limits,
    clock,
    alarm,
    addresses: () => current().addresses,
    ...(elsewhere && { elsewhere }),
  })
  release?.attach(connections)
  const traffic = new Traffic()
  const closing = new WeakSet<Duplex>()
  const chance = pooled(random)
  const newId = () => newRequestId(clock.now(), chance)
  let shed = 0
  const isLast = release && lastBy(release, traffic)
  const failSocket = socketFailing({ traffic, closing, current, newId, clock })
  const listener = (request: IncomingMessage, response: ServerResponse, upgrade?: Upgrade) => {
    // We already announced `Connection: close` to this client.
    if (closing.has(request.socket)) return
    const view = viewOf(snapshots.take())
    const { app, terms, errorForm, addresses, always } = view
    const at = clock.now()
    const context = { terms, errorForm, addresses, clock, resources: app, always, closing, isLast, upgrade }
    const call = new HttpCall(request, response, newId(), context)
    traffic.began(call)
    const leave = connections.enter(request)
    const fault = formFault(request) ?? traffic.fault ?? (leave ? undefined : CROWDED)
    if (fault || upgrade || (isPublic && app.shedding() > 0 && ++shed % LAST_OF === 0)) call.rejectFurther()
    let closedAt = at
    let open = 2
    // Both: what a request cost is known only once it is settled, even when its client has long left.
    const end = () => {
      if (--open > 0) return
      const entry = entryOf(call, at, closedAt)
      call.trace?.end(tracedEnd(entry, app.config))
      if (!isQuiet(match, entry)) log(entry, app.config)
      if (!('denial' in match)) noteRead(app.countRead, match.endpoint, entry.status)
      snapshots.giveBack(app)
      traffic.over()
    }
    call.onClosed(() => {
      closedAt = clock.now()
      traffic.closed(call)
      leave?.()
      end()
    })
    const match = fault ?? view.route(request.method ?? '', call.path)
    const broken = (error: unknown) => {
      // A fault in the answer to a fault: this request ends with it, and no other.
      alarm('unexpected error', { requestId: call.requestId, error: String(error) })
      request.socket.destroy()
    }
    void run(view, call, match).catch(broken).then(end)
  }
  const events = eventsOf({ traffic, closing, connections, clock, current, limits, failSocket, listener })
  const { server, renew } = createListener(limits, (request, response) => listener(request, response), events, tls)
  return { server, renew, ...endsOf(server, traffic) }
}

/** Behind a request that is answered before it, a client could lose one that it has sent. */
const lastBy =
  (release: ConnectionRelease, traffic: Traffic) =>
  ({ socket }: IncomingMessage, isStream: boolean): boolean =>
    traffic.on(socket).length === 1 && release.endsWith(socket, isStream)

/** The parts of the listener that failing a connection needs. */
interface Failing extends Pick<Door, 'traffic' | 'closing' | 'clock'> {
  readonly current: () => Pick<ListenerView<ListenerApp, Endpoint>, 'terms' | 'errorForm' | 'always'>
  readonly newId: () => string
}

/** Answers a connection that no request can be read from, where there is a denial and room for it, and closes it. */
const socketFailing =
  ({ traffic, closing, current, newId, clock }: Failing): Door['failSocket'] =>
  (socket, denial) => {
    const calls = traffic.on(socket)
    // An error written now would be taken for the current answer, or for the next in line.
    if (!denial || !socket.writable || calls.some(({ answering }) => answering)) return void socket.destroy()
    closing.add(socket)
    for (const call of calls) call.failConnection(denial.code)
    const { terms, errorForm, always } = current()
    // There are no headers to ask who reads it.
    const form = CHAT_FORMS[errorForm === 'auto' ? 'spec' : errorForm]
    answerBroken(socket, denial, ['x-request-id', newId(), ...always], { errors: terms, form, clock })
  }

/** The parts of the listener that the events of connections need. */
interface Door {
  readonly traffic: Traffic
  readonly closing: WeakSet<Duplex>
  readonly connections: Connections
  readonly clock: Clock
  readonly current: () => Pick<ListenerView<ListenerApp, Endpoint>, 'opens'>
  readonly limits: () => ListenerSettings
  readonly failSocket: (socket: Duplex, denial: AnyDenial | undefined) => void
  readonly listener: ListenerEvents['upgraded']
}

function eventsOf({
  traffic,
  closing,
  connections,
  clock,
  current,
  limits,
  failSocket,
  listener,
}: Door): ListenerEvents {
  return {
    broken: (error, socket) => {
      const streamed = isLate(error) ? traffic.on(socket).find(call => call.received && !call.answering) : undefined
      const late = () => failSocket(socket, denialOf(error))
      if (streamed) return keepPace(streamed, limits().idleTimeout, clock.after, late)
      const told = closing.has(socket) && traffic.on(socket).every(({ answering }) => answering)
      if (isAfterLast(error) || (told && isGarbage(error))) return
      failSocket(socket, told ? undefined : denialOf(error))
    },
    // Behind another request it could be answered before that one.
    upgrades: request =>
      asksForWebSocket(request) && current().opens(pathOf(request)) && traffic.on(request.socket).length === 0,
    upgraded: listener,
    tunnel: socket => failSocket(socket, invalid('', 'CONNECT is not served: this is no proxy.').denial),
    connected: socket => {
      traffic.connected(socket)
      return connections.admit(socket)
    },
    idle: socket => connections.isIdle(socket),
    full: () => connections.turnAway(),
  }
}

/** How a listener ends. */
const endsOf = (server: Server, traffic: Traffic): Pick<Listener, 'drain' | 'cut' | 'destroy'> => ({
  drain: () => {
    // Not that of http, which breaks answers that were written and not yet sent.
    NetServer.prototype.close.call(server)
    return traffic.end()
  },
  cut: () => traffic.cut(),
  destroy: () => {
    traffic.destroy()
    // Also the timer by which http looks for connections that are overdue.
    server.close()
  },
})

const pathOf = ({ url = '/' }: IncomingMessage): string => url.replace(/\?.*$/s, '')

const isQuiet = (match: Match<Endpoint> | Denied<AnyDenial>, entry: LogEntry): boolean =>
  !('denial' in match) && match.endpoint.quiet === true && isUneventful(entry)

const CROWDED: Denied = { denial: { code: 'OVERLOADED', of: 'address' } }

async function run<App extends ListenerApp, Row extends Endpoint>(
  view: ListenerView<App, Row>,
  call: HttpCall,
  match: Match<Row> | Denied<AnyDenial>,
): Promise<void> {
  try {
    await answer(view, call, match)
  } catch (error) {
    fail(view.app, call, error)
  }
  if (call.wasCut) call.sendDraining()
}

function entryOf(
  { requestId, path, note, request, response, account, key, trace, wasLeft }: HttpCall,
  at: EpochMs,
  closedAt: EpochMs,
): LogEntry {
  // Each by name: a copy of a note with more around it would cost ten times as much.
  return {
    at,
    requestId,
    method: request.method ?? '',
    path,
    status: wasLeft ? LEFT : response.statusCode,
    ms: closedAt - at,
    traceId: trace?.traceId,
    account,
    key,
    code: note.code,
    type: note.type,
    limit: note.limit,
    message: note.message,
    plan: note.plan,
    labels: note.labels,
    session: note.session,
    asked: note.asked,
    model: note.model,
    rule: note.rule,
    tools: note.tools,
    pool: note.pool,
    failures: note.failures,
    inputTokens: note.inputTokens,
    outputTokens: note.outputTokens,
    cachedTokens: note.cachedTokens,
    cacheWriteTokens: note.cacheWriteTokens,
    cost: note.cost,
    estimated: note.estimated,
    firstMs: tenths(note.firstMs),
    overheadMs: note.overheadMs,
    limitShare: note.limitShare,
    interrupted: note.interrupted,
    skippedEvents: note.skippedEvents,
  }
}

/** Milliseconds with one decimal: the clock's digits behind that mean nothing to a reader. */
const tenths = (ms: number | undefined): number | undefined => (ms === undefined ? undefined : Math.round(ms * 10) / 10)
