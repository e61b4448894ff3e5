import { startLeaseSweep } from '../gateway/admission/lease-sweep.ts'
import { startIndexing } from '../gateway/index-rows.ts'
import type { Alarm, Cancel, Clock } from '../gateway/ports.ts'
import { startResponseSweep } from '../gateway/responses/sweep.ts'
import type { Store } from '../gateway/store/store.ts'
import type { Calendar } from '../policy/calendar.ts'
import type { Millis } from '../policy/config.ts'

interface UpkeepPorts {
  readonly clock: Clock
  /** How long rows are kept. */
  readonly keep: () => Millis
  /** Whether they leave for an archive before. */
  readonly isArchived: () => boolean
  /** The calendar of the files; undefined for UTC. */
  readonly calendar: () => Calendar | undefined
  readonly alarm: Alarm
  /** Renews leases of this process that are overdue. */
  readonly renew: () => Promise<void>
  /** The most bytes of kept responses; undefined where none are kept. */
  readonly keptBytes: () => number | undefined
}

/**
 * Maintains the store while the gateway runs: ends orphaned holds, removes expired records, and indexes rows. Only one process of
 * a gateway does it. Returns a function that stops it.
 */
export function startUpkeep(
  store: Store,
  { clock, keep, isArchived, calendar, alarm, renew, keptBytes }: UpkeepPorts,
): Cancel {
  const stops = [
    startLeaseSweep(store, clock, { keep, isArchived, calendar }, alarm, renew),
    startIndexing(store.ledger, clock, alarm),
    startResponseSweep(store.responses, { clock, alarm, maxBytes: keptBytes }),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}
