import type { BackendSettings } from '../../config/settings.ts'
import type { Millis } from '../../policy/config.ts'
import { type PoolHeaders, poolHeaders, withQuery } from '../pools/headers.ts'
import type { ProbeResult } from '../pools/replica.ts'
import type { Cancel, Clock, Probe } from '../ports.ts'
import { type ExchangeOptions, exchangeOnce } from './exchange-once.ts'

/** Where a probe goes, and how long the answer may take. */
export interface ProbeTarget {
  readonly replica: string
  /** From the root of its origin. */
  readonly path: string
  readonly settings: Pick<BackendSettings, keyof PoolHeaders | 'query' | 'connectTimeout'>
  readonly limit: Millis
}

export interface ProbePorts {
  readonly probe: Probe
  readonly clock: Clock
}

/** Probes a replica once: 200 to 299, whole and in time, is ok. `over` gets the result unless the probe was called off. */
export function sendProbe(
  { probe, clock }: ProbePorts,
  target: ProbeTarget,
  over: (result: ProbeResult) => void,
): Cancel {
  const { replica, settings, limit } = target
  const { connectTimeout } = settings
  const { origin } = new URL(replica)
  const path = withQuery(target.path, settings)
  const headers = poolHeaders(settings)
  const send: ExchangeOptions['send'] = (fresh, listener) =>
    probe({ origin, path, headers, connectTimeout, fresh }, listener)
  return exchangeOnce(clock, { send, connectTimeout, limit }, ({ head, cause, ms, at }) => {
    const status = head?.status
    const isFine = status !== undefined && status >= 200 && status < 300
    const error = cause ?? (isFine ? undefined : `status ${status}`)
    over({
      ok: error === undefined,
      ...(status !== undefined && { status }),
      ...(error !== undefined && { error }),
      ms: Math.round(ms),
      at,
    })
  })
}
