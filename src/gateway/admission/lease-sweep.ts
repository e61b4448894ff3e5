import type { Calendar } from '../../policy/calendar.ts'
import type { Millis } from '../../policy/config.ts'
import type { AlarmMessage } from '../alarm-messages.ts'
import type { Alarm, Cancel, Clock } from '../ports.ts'
import type { HoldStore } from '../store/hold-store.ts'
import type { LedgerStore } from '../store/ledger-store.ts'
import { every } from '../timers.ts'

const SWEEP_MS: Millis = 5000
const TRIM_MS: Millis = 3_600_000
/** A clock that NTP keeps is never set further at once. */
const STEP_MS: Millis = 60_000

/** The rules for old rows, as the files say at this moment. */
interface OldRows {
  readonly keep: () => Millis
  /** Whether they leave for an archive before: what is removed here has then not been taken there. */
  readonly isArchived?: () => boolean
  /** The calendar by whose days the ledger has sums; undefined for UTC. */
  readonly calendar?: () => Calendar | undefined
}

/**
 * Settles the reservations of gateways that died, after `renew` kept those of this process, and removes ledger rows that are
 * older than `keep` says then.
 */
export function startLeaseSweep(
  store: { readonly holds: Pick<HoldStore, 'sweep'>; readonly ledger: Pick<LedgerStore, 'trim'> },
  clock: Clock,
  { keep, isArchived = () => false, calendar = () => undefined }: OldRows,
  alarm: Alarm,
  renew: () => Promise<void> = async () => {},
): Cancel {
  const origin = clock.now() - clock.elapsed()
  let ahead: Millis = 0
  const watchClock = () => {
    const before = ahead
    ahead = clock.now() - clock.elapsed() - origin
    const step = ahead - before
    if (Math.abs(step) > STEP_MS) alarm('the clock of this machine was set', { bySeconds: Math.round(step / 1000) })
  }
  const sweep = async () => {
    watchClock()
    await renew()
    const swept = await store.holds
      .sweep()
      .catch(failed(alarm, 'reservations of gateways that died could not be settled'))
    if (swept) alarm('reservations of gateways that died were settled as of their last checkpoint', { count: swept })
  }
  // At once: a gateway that dies again and again may never come to its first period.
  void sweep()
  const stopSweeping = every(clock, SWEEP_MS, sweep)
  const stopTrimming = every(clock, TRIM_MS, async () => {
    // A removed row is lost, so rows age by the time that passed: a clock that is set ahead makes nothing older.
    const now = Math.min(clock.now(), origin + clock.elapsed())
    const rows = await store.ledger
      .trim(now - keep(), now, calendar())
      .catch(failed(alarm, 'old ledger rows could not be removed'))
    if (rows && isArchived()) alarm('rows older than ledger.keep were removed, which no archive had taken', { rows })
  })
  return () => {
    stopSweeping()
    stopTrimming()
  }
}

const failed = (alarm: Alarm, message: AlarmMessage) => (error: unknown) => alarm(message, { error: String(error) })
