import type { Pool as Dispatchers } from 'undici'
import type { BackendSettings } from '../../config/settings.ts'
import type { BackendRequest, Send } from '../../gateway/ports.ts'
import type { Pool } from '../../policy/config.ts'
import type { TrackedOptions } from './connection.ts'
import type { Connected, Connections } from './connections.ts'
import { dispatch, UndiciExchange } from './exchange.ts'

/** The replicas of one configuration. */
export interface Backends {
  readonly send: Send
  /** Gives the connections back. To be called once, when no more requests will be sent. */
  close(): void
}

/** Speaks HTTP to backends through undici's dispatch: no fetch, no web streams on the way of a request. */
export function openBackends(
  pools: Iterable<Pool>,
  settings: ReadonlyMap<string, BackendSettings>,
  connections: Connections,
): Backends {
  const connected = new Map<string, Connected>()
  const addresses = new Map<string, Address>()
  const timeoutOf = (pool: string) => settings.get(pool)?.connectTimeout ?? 1000
  // All at once, and no socket yet: what another configuration has open must stay open for this one.
  for (const { name, replicas } of pools) {
    const connectTimeout = timeoutOf(name)
    for (const replica of replicas) {
      addresses.set(replica, addressOf(replica))
      const way = { origin: new URL(replica).origin, connectTimeout }
      const place = placeOf(name, way.origin)
      if (!connected.has(place)) connected.set(place, connections.to(way))
    }
  }

  const connectionsTo = (origin: string, pool: string): Dispatchers => {
    const open = connected.get(placeOf(pool, origin))
    if (!open) throw new Error(`pool ${pool} has no replica at ${origin}`)
    return open.pool
  }

  return {
    send: (request, listener) => {
      const { origin, prefix } = addresses.get(request.replica) ?? addressOf(request.replica)
      const exchange = new UndiciExchange(listener)
      const options: TrackedOptions = {
        method: 'POST',
        path: prefix + request.path,
        headers: headersOf(request, settings.get(request.pool)),
        body: request.body,
        over: connection => exchange.over(connection),
      }
      // Later, so that no listener is called before the caller has the exchange.
      queueMicrotask(() => {
        const connectTimeout = timeoutOf(request.pool)
        if (request.fresh)
          connections.once({ origin, connectTimeout }, connection => dispatch(connection, options, exchange))
        else dispatch(connectionsTo(origin, request.pool), options, exchange)
      })
      return exchange
    },
    close: () => {
      for (const { giveBack } of connected.values()) giveBack()
    },
  }
}

/** What of a base URL requests are made of. */
interface Address {
  readonly origin: string
  /** `/v1` */
  readonly prefix: string
}

function addressOf(replica: string): Address {
  const { origin, pathname } = new URL(replica)
  return { origin, prefix: pathname.replace(/\/$/, '') }
}

const placeOf = (pool: string, origin: string): string => `${pool} ${origin}`

/**
 * Our own headers only: nothing a client sent reaches a backend but its body, and the id of its trace where requests
 * are traced.
 */
function headersOf(
  { requestId, traceparent }: BackendRequest,
  settings: BackendSettings | undefined,
): Record<string, string> {
  return {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'x-request-id': requestId,
    ...(traceparent !== undefined && { traceparent }),
    ...(settings?.key && { authorization: `Bearer ${settings.key.reveal()}` }),
  }
}
