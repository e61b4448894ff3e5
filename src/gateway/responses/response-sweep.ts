import type { Millis } from '../../policy/config.ts'
import type { Alarm, Cancel, Clock } from '../ports.ts'
import type { ResponseStore } from '../store/response-store.ts'
import { every } from '../timers.ts'

/** Nothing reads a response whose time is over; it lies in the store for so long at most. */
const SWEEP_MS: Millis = 50_000

/** Deletes responses whose time is over, also those that were kept before the configuration said to keep none. */
export const startResponseSweep = (store: Pick<ResponseStore, 'sweep'>, clock: Clock, alarm: Alarm): Cancel =>
  every(clock, SWEEP_MS, async () => {
    await store.sweep().catch((error: unknown) => {
      alarm('responses whose time is over could not be deleted', { error: String(error) })
    })
  })
