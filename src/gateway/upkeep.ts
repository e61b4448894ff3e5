import type { Millis } from '../policy/config.ts'
import type { Alarm, Cancel, Clock } from './ports.ts'
import type { Store } from './store.ts'

const SWEEP_MS: Millis = 5000
const TRIM_MS: Millis = 3_600_000

/** Keeps the store in order: settles what the dead left behind, and lets go of rows that are older than `keep` says then. */
export function startUpkeep(store: Store, clock: Clock, keep: () => Millis, alarm: Alarm): Cancel {
  const sweep = async () => {
    const swept = await store.sweep().catch(failed(alarm, 'holds of dead gateways could not be settled'))
    if (swept) alarm('holds of dead gateways were settled at their last checkpoint', { count: swept })
  }
  // At once: a gateway that dies again and again may never come to its first period.
  void sweep()
  const stopSweeping = every(clock, SWEEP_MS, sweep)
  const stopTrimming = every(clock, TRIM_MS, async () => {
    await store.trimLedger(clock.now() - keep()).catch(failed(alarm, 'old ledger rows could not be removed'))
  })
  return () => {
    stopSweeping()
    stopTrimming()
  }
}

/** Runs once per period, and never twice at a time. */
function every(clock: Clock, period: Millis, run: () => Promise<void>): Cancel {
  let stopped = false
  let cancel: Cancel = () => {}
  const later = () => {
    cancel = clock.after(period, () => {
      run().finally(() => {
        if (!stopped) later()
      })
    })
  }
  later()
  return () => {
    stopped = true
    cancel()
  }
}

const failed = (alarm: Alarm, message: string) => (error: unknown) => alarm(message, { error: String(error) })
