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

/** Parts of every gateway process: metrics, alarms and the serving configuration. */
export interface Base<Process extends SnapshotPorts = SnapshotPorts> {
  /** The first configuration. */
  readonly loaded: Loaded
  readonly world: World
  readonly clock: Clock
  readonly metrics: Metrics
  readonly alarms: Alarms
  /** Incidents, each from its first alarm on. */
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
