import type { Millis } from '../../policy/config.ts'
import type { Alarm, Cancel, Clock } from '../ports.ts'
import type { ResponseStore } from '../store/response-store.ts'
import { every } from '../timers.ts'

/** Nothing reads a response whose time is over; it lies in the store for so long at most. */
const SWEEP_MS: Millis = 50_000

/** Operators are alarmed once this share of the room is used. */
const NEARLY = 0.8

interface SweepPorts {
  readonly clock: Clock
  readonly alarm: Alarm
  /** The most bytes of all accounts' responses; undefined where none are kept. */
  readonly maxBytes: () => number | undefined
}

/**
 * Deletes responses whose time is over, also those that were kept before the configuration said to keep none, and tells
 * operators before there is no room for more.
 */
export function startResponseSweep(
  store: Pick<ResponseStore, 'sweep' | 'readTotal'>,
  { clock, alarm, maxBytes }: SweepPorts,
): Cancel {
  let isTold = false
  const lookAtRoom = async () => {
    const most = maxBytes()
    if (most === undefined) return
    const bytes = await store.readTotal()
    const isNearlyFull = bytes >= NEARLY * most
    if (isNearlyFull && !isTold)
      alarm('kept responses have nearly all of their room: without any, further ones are answered and not kept', {
        bytes,
        max_bytes_total: most,
      })
    isTold = isNearlyFull
  }
  return every(clock, SWEEP_MS, async () => {
    await store
      .sweep()
      .then(lookAtRoom)
      .catch((error: unknown) => {
        alarm('responses whose time is over could not be deleted', { error: String(error) })
      })
  })
}
