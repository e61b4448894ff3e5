import { Metrics } from '../../adapters/metrics/metrics.ts'
import type { Loaded } from '../../config/settings.ts'
import { Incidents } from '../../gateway/incidents.ts'
import type { Alarm, Clock } from '../../gateway/ports.ts'
import type { SnapshotPorts } from '../snapshots.ts'
import type { World } from '../world.ts'
import { Alarms } from './alarms.ts'
import { Serving } from './serving.ts'

interface BaseHooks {
  readonly alarm: Alarm
  /** Leaves secrets out of texts. */
  readonly clean?: (text: string) => string
}

/** What every process of a gateway has: it counts, raises alarms, and knows what serves. */
export interface Base<Process extends SnapshotPorts = SnapshotPorts> {
  /** What serves first. */
  readonly loaded: Loaded
  readonly world: World
  readonly clock: Clock
  readonly metrics: Metrics
  readonly alarms: Alarms
  /** What alarms tell of, from the first alarm on. */
  readonly incidents: Incidents
  readonly alarm: Alarm
  readonly serving: Serving<Process>
}

export function baseOf<Process extends SnapshotPorts>(loaded: Loaded, world: World, hooks: BaseHooks): Base<Process> {
  const { clock } = world
  const metrics = new Metrics()
  const alarms = new Alarms({ clock, metrics, alarm: hooks.alarm, clean: hooks.clean })
  const incidents = new Incidents(clock)
  alarms.follow(newest => incidents.hear(newest))
  return { loaded, world, clock, metrics, alarms, incidents, alarm: alarms.raise, serving: new Serving(loaded) }
}
