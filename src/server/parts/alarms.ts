import type { Metrics } from '../../adapters/metrics/metrics.ts'
import { withoutKeys } from '../../gateway/accounts/keys.ts'
import type { Alarm, Clock } from '../../gateway/ports.ts'
import { type RecentAlarm, RecentAlarms } from '../../gateway/recent-alarms.ts'

interface AlarmsPorts {
  readonly clock: Clock
  readonly metrics: Metrics
  /** Leaves secrets out of texts. */
  readonly clean?: ((text: string) => string) | undefined
  /** Reports an alarm to the operator. */
  readonly alarm: Alarm
}

/** Alarms are counted, remembered, and passed on to who follows them. */
export class Alarms {
  readonly recent: RecentAlarms
  readonly #ports: AlarmsPorts
  readonly #followers: ((newest: RecentAlarm) => void)[] = []

  constructor(ports: AlarmsPorts) {
    this.#ports = ports
    this.recent = new RecentAlarms(ports.clock, ports.clean ?? withoutKeys)
  }

  readonly raise: Alarm = (...told) => {
    this.#ports.metrics.alarm()
    const newest = this.recent.add(...told)
    for (const hear of this.#followers) hear(newest)
    this.#ports.alarm(...told)
  }

  /** From now on `hear` gets each alarm. */
  follow(hear: (newest: RecentAlarm) => void): void {
    this.#followers.push(hear)
  }
}
