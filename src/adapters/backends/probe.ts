import type { Probe } from '../../gateway/ports.ts'
import type { Connections, TrackedOptions } from './connections.ts'
import { dispatch, UndiciExchange } from './exchange.ts'

/** Probes replicas over the connections that requests take, so that a probe meets the same conditions. */
export const probeOver =
  (connections: Connections): Probe =>
  ({ origin, path, headers, connectTimeout, fresh }, listener) => {
    const exchange = new UndiciExchange(listener)
    const options: TrackedOptions = {
      method: 'GET',
      path,
      headers: { accept: '*/*', ...headers },
      over: connection => exchange.over(connection),
    }
    // Later, so that no listener is called before the caller has the exchange.
    queueMicrotask(() => {
      if (fresh)
        return connections.once({ origin, connectTimeout }, connection => dispatch(connection, options, exchange))
      const { pool, giveBack } = connections.to({ origin, connectTimeout })
      dispatch(pool, options, exchange)
      // The probe ends even where no other request needs these connections.
      giveBack()
    })
    return exchange
  }
