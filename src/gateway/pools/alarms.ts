import type { Alarm, Clock } from '../ports.ts'
import type { ReplicaChanged } from './pools.ts'
import type { PoolState } from './state.ts'

/** Alarms when a replica is ejected, whether requests or probes found it failing, and when it is back. */
export const reportReplicas =
  (alarm: Alarm, clock: Clock): ReplicaChanged =>
  (pool, { url, breaker, probed }) => {
    const now = clock.now()
    if (breaker.state(now) === 'closed') return alarm('a replica is back', { pool, replica: url })
    const probe = probed?.error === undefined ? {} : { probe: probed.error }
    alarm('a replica is ejected', { pool, replica: url, failures: breaker.failures, ...probe })
  }

/** Alarms when no replica of a pool can be used, once for each cause, and when the pool answers again. */
export function reportPool(alarm: Alarm, pool: string, state: PoolState, cause: string | undefined): void {
  if (state.complaint === cause) return
  state.complain(cause)
  if (cause === undefined) alarm('a pool can be used again', { pool })
  else alarm('a pool cannot be used: are its address, key, model and account right?', { pool, cause })
}
