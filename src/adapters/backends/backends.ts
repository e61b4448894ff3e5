import type { Pool as Dispatchers } from 'undici'
import type { BackendSettings } from '../../config/settings.ts'
import { poolHeaders, withQuery } from '../../gateway/pools/headers.ts'
import type { BackendRequest, Send } from '../../gateway/ports.ts'
import type { Pool } from '../../policy/config.ts'
import type { Connected, Connections, TrackedOptions, Way } from './connections.ts'
import { dispatch, UndiciExchange } from './exchange.ts'

/** The replicas of one configuration. */
export interface Backends {
  readonly send: Send
  /** Closes the connections. Call it once, after the last request. */
  close(): void
}

/** Speaks HTTP to backends through undici's dispatch: no fetch, no web streams on the way of a request. */
export function openBackends(
  pools: Iterable<Pool>,
  settings: ReadonlyMap<string, BackendSettings>,
  connections: Connections,
): Backends {
  const held: Connected[] = []
  // All connections at once, without a socket: those that another configuration has open must stay open for this one.
  const places = new Map(
    Array.from(pools, ({ name, replicas }) => {
      const own: Partial<BackendSettings> = settings.get(name) ?? {}
      const { connectTimeout = 1000 } = own
      const placeOf = (replica: string): Place => {
        const { origin, pathname } = new URL(replica)
        const connected = connections.to({ origin, connectTimeout })
        held.push(connected)
        return {
          ...{ origin, connectTimeout, dispatchers: connected.pool },
          prefix: pathname.replace(/\/$/, ''),
          settings: own,
        }
      }
      return [name, new Map(replicas.map(replica => [replica, placeOf(replica)]))]
    }),
  )

  return {
    send: (request, listener) => {
      const place = places.get(request.pool)?.get(request.replica)
      if (!place) throw new Error(`pool ${request.pool} has no replica ${request.replica}`)
      const exchange = new UndiciExchange(listener)
      const options: TrackedOptions = {
        method: 'POST',
        path: withQuery(place.prefix + request.path, place.settings),
        headers: headersOf(request, place),
        body: request.body,
        over: connection => exchange.over(connection),
      }
      // Later, so that no listener is called before the caller has the exchange.
      queueMicrotask(() => {
        if (request.fresh) connections.once(place, connection => dispatch(connection, options, exchange))
        else dispatch(place.dispatchers, options, exchange)
      })
      return exchange
    },
    close: () => {
      for (const { giveBack } of held) giveBack()
    },
  }
}

/** How requests to one replica of a pool are sent. */
interface Place extends Way {
  /** `/v1` */
  readonly prefix: string
  readonly dispatchers: Dispatchers
  /** The settings of its pool. */
  readonly settings: Partial<BackendSettings>
}

/**
 * Our own headers only: nothing a client sent reaches a backend but its body, the features that the pool allows, and the
 * id of its trace where requests are traced.
 */
function headersOf(
  { requestId, traceparent, headers: more }: BackendRequest,
  { settings }: Place,
): Record<string, string> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    // Without it, any encoding would be allowed.
    'accept-encoding': 'identity',
    'x-request-id': requestId,
  }
  if (traceparent !== undefined) headers.traceparent = traceparent
  // One after the other: a spread of objects costs more than all the rest of it.
  const own = poolHeaders(settings)
  for (const name in own) headers[name] = own[name] ?? ''
  for (const name in more) headers[name] = more[name] ?? ''
  return headers
}
