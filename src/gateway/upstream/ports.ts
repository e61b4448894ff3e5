import type { Settings } from '../../config/settings.ts'
import type { Config } from '../../policy/config.ts'
import type { HealthChecks } from '../health/checks.ts'
import type { Pools } from '../pools/pools.ts'
import type { Alarm, AttemptCounter, Clock, Send, SendPassthrough } from '../ports.ts'
import type { Store } from '../store/store.ts'

/** The ports that sending a request to backends takes. */
export interface UpstreamPorts {
  readonly config: Config
  readonly settings: Settings
  readonly store: Store
  readonly send: Send
  readonly sendPassthrough: SendPassthrough
  readonly clock: Clock
  readonly pools: Pools
  readonly healthChecks: Pick<HealthChecks, 'verdict'>
  /** Gives numbers in [0, 1). */
  readonly chance: () => number
  readonly counter: AttemptCounter
  readonly alarm: Alarm
}
