import type { Alarm, Clock } from '../ports.ts'
import type { PoolState, ReplicaChanged } from './pools.ts'

/** Tells operators of each replica that is left out, whether requests or probes found it failing, and when it is back. */
export const tellOfReplicas =
  (alarm: Alarm, clock: Clock): ReplicaChanged =>
  (pool, { url, breaker, probed }) => {
    const now = clock.now()
    if (breaker.state(now) === 'closed') return alarm('a replica is back', { pool, replica: url })
    const probe = probed?.error === undefined ? {} : { probe: probed.error }
    alarm('a replica is ejected', { pool, replica: url, failures: breaker.failures, ...probe })
  }

/** Tells operators of a pool that no replica of it can be used, once for each cause, and when it answers again. */
export function tellOfPool(alarm: Alarm, pool: string, state: PoolState, cause: string | undefined): void {
  if (state.complaint === cause) return
  state.complaint = cause
  if (cause === undefined) alarm('a pool can be used again', { pool })
  else alarm('a pool cannot be used: are its address, key, model and account right?', { pool, cause })
}
