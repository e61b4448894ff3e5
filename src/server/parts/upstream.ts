import { Connections } from '../../adapters/backends/connections.ts'
import { probeOver } from '../../adapters/backends/exchange.ts'
import { HealthChecks, type OtherHealthChecks } from '../../gateway/health/checks.ts'
import { Probes } from '../../gateway/health/probes.ts'
import { LoadWatch } from '../../gateway/load/watch.ts'
import { Mirrors } from '../../gateway/mirror/mirrors.ts'
import { Pools } from '../../gateway/pools/pools.ts'
import type { Replica } from '../../gateway/pools/replica.ts'
import type { Base } from './base.ts'
import type { Part } from './open-parts.ts'

/** The pools as this process knows them, and its connections to them. */
export interface Upstream extends Part {
  readonly connections: Connections
  readonly pools: Pools
  readonly probes: Probes
  readonly healthChecks: HealthChecks
  /** The copies of requests that this process sends. */
  readonly mirrors: Mirrors
  /** Probes replicas and reads their load, as the configuration says now. One process of a gateway does that for all. */
  watch(): void
  /** From now on `hear` gets each replica that is ejected, paused or back. */
  follow(hear: (pool: string, replica: Replica) => void): void
  /** Breaks the connections. Probes and readings stop before, so that none is taken for a failure of its replica. May be called again. */
  close(): Promise<void>
}

export function openUpstream({ world, clock, alarm, serving }: Base, others?: OtherHealthChecks): Upstream {
  const connections = new Connections()
  const probe = probeOver(connections)
  const followers: Parameters<Upstream['follow']>[0][] = []
  const pools = new Pools((pool, replica) => {
    probes.changed(pool, replica)
    for (const hear of followers) hear(pool, replica)
  })
  const probes = new Probes({ ...world, pools, probe, current: () => serving.current })
  const loads = new LoadWatch({ ...world, pools, probe, alarm, current: () => serving.current })
  const healthChecks = new HealthChecks({ clock, probe, alarm, others })
  // Requests that wait get the slots that are new; others come with the limits that hold by then.
  serving.follow(({ settings }) => {
    for (const [name, backend] of settings.backends) pools.known.get(name)?.slots.resize(backend)
  })
  const mirrors = new Mirrors()
  let closed: Promise<void> | undefined
  return {
    ...{ connections, pools, probes, healthChecks, mirrors },
    watch: () => {
      probes.follow()
      loads.follow()
    },
    follow: hear => void followers.push(hear),
    close: () => {
      probes.stop()
      loads.stop()
      healthChecks.stop()
      mirrors.close()
      closed ??= connections.destroy()
      return closed
    },
  }
}
