import { openBackends } from '../../adapters/backends/backends.ts'
import { Connections } from '../../adapters/backends/connections.ts'
import { probeOver } from '../../adapters/backends/exchange.ts'
import type { Loaded } from '../../config/settings.ts'
import { hasStandIn } from '../../config/stand-ins.ts'
import type { Finding } from '../../gateway/doctor/finding.ts'
import { inspectReplica } from '../../gateway/doctor/inspect.ts'
import { poolFindings } from '../../gateway/doctor/pool-findings.ts'
import { promisedOf } from '../../gateway/doctor/promise.ts'
import type { Depth, ReplicaPorts } from '../../gateway/doctor/replica.ts'
import type { Clock } from '../../gateway/ports.ts'
import type { Pool } from '../../policy/config.ts'
import type { Watched } from './check-machine.ts'
import { keySource } from './report.ts'

interface Asked {
  readonly findings: readonly Finding[]
  readonly watched: readonly Watched[]
}

interface Files {
  readonly loaded: Loaded
  readonly sources: ReadonlyMap<string, string>
  readonly pools: readonly Pool[]
}

/** Asks every replica of these pools at once, over connections as a gateway has them. */
export async function askPools({ loaded, sources, pools }: Files, clock: Clock, depth: Depth): Promise<Asked> {
  const connections = new Connections()
  const backends = openBackends(pools, loaded.settings.backends, connections)
  const ports: ReplicaPorts = { send: backends.send, probe: probeOver(connections), clock }
  try {
    const asked = await Promise.all(pools.map(pool => askPool(ports, loaded, pool, sources, depth)))
    return { findings: asked.flatMap(({ findings }) => findings), watched: asked.flatMap(({ watched }) => watched) }
  } finally {
    backends.close()
    await connections.destroy()
  }
}

async function askPool(
  ports: ReplicaPorts,
  { config, settings }: Loaded,
  pool: Pool,
  sources: ReadonlyMap<string, string>,
  depth: Depth,
): Promise<Asked> {
  const promised = promisedOf(config, settings, pool)
  const key = promised.settings.key?.reveal() ?? ''
  if ([...pool.replicas, key, pool.model].some(hasStandIn)) {
    const text = 'not asked: a variable that it needs is not set'
    return { findings: [{ check: 'pools', subject: pool.name, state: 'warning', text }], watched: [] }
  }
  const keyFrom = keySource(pool.fields.key, sources)
  const inspected = await Promise.all(pool.replicas.map(url => inspectReplica(ports, promised, url, depth, keyFrom)))
  const watched = inspected.flatMap(({ replica, clocks }): Watched[] =>
    clocks.length > 0 ? [{ who: `${pool.name} (${new URL(replica).host})`, kind: 'backend', readings: clocks }] : [],
  )
  return { findings: poolFindings(promised, inspected), watched }
}
