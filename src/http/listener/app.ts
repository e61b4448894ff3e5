import type { Settings } from '../../config/settings.ts'
import type { IdentifyPorts } from '../../gateway/accounts/identify.ts'
import type { Alarm, Clock, Random } from '../../gateway/ports.ts'
import type { Config } from '../../policy/config.ts'
import type { AnswerResources } from './call-costs.ts'
import type { Level } from './overload.ts'
import type { CountRead, CountStranger, ReadLimits } from './read-limits.ts'

/** Dependencies of every listener, whatever its endpoints are. */
export interface ListenerApp extends AnswerResources, IdentifyPorts {
  readonly config: Config
  readonly settings: Settings
  readonly clock: Clock
  readonly random: Random
  readonly alarm: Alarm
  /** How much of the work is refused, because there is too much of it. */
  readonly shedding: () => Level
  /** How often clients may read what asks no model. */
  readonly reads: ReadLimits
  /** Counts reads that are over. */
  readonly countRead: CountRead
  /** Counts requests that reach no endpoint. */
  readonly countStranger: CountStranger
}

/** Where requests get the snapshot they keep. */
export interface Snapshots<App> {
  /** The one that serves now. */
  readonly current: App
  /** Takes the app for a request that begins. */
  take(): App
  /** The request that took it is over, and settled. */
  giveBack(app: App): void
}
