import type { BackendSettings, Settings } from '../../config/settings.ts'
import type { Config, Millis, Pool } from '../../policy/config.ts'
import { dialectOf } from '../../wire/dialects.ts'
import type { Pools } from '../pools/pools.ts'
import type { ProbeResult, Replica } from '../pools/replica.ts'
import type { Cancel } from '../ports.ts'
import { type ProbePorts, sendProbe } from './probe.ts'
import { ProbeLoop, type ProbeLoopPorts } from './probe-loop.ts'

/** The longest that a replica may take to answer a probe. */
const LONGEST: Millis = 5000

export interface ProbesPorts extends ProbePorts {
  readonly pools: Pools
  /** Gives numbers in [0, 1). */
  readonly chance: () => number
  /** The configuration that serves now. */
  readonly current: () => { readonly config: Config; readonly settings: Settings }
}

/** Probes the replicas of pools that declare `probe`, again and again. A process has one, which follows the configuration. */
export class Probes {
  readonly #ports: ProbesPorts
  readonly #loops = new Map<string, ProbeLoop>()
  #stopped = false

  constructor(ports: ProbesPorts) {
    this.#ports = ports
  }

  /** Watches exactly the declared replicas. Call it at the start and after each reload. */
  follow(): void {
    if (this.#stopped) return
    const declared = this.#declared()
    for (const [place, loop] of this.#loops) {
      const same = declared.get(place)
      if (same?.path === loop.path && same.every === loop.every) continue
      loop.stop()
      this.#loops.delete(place)
    }
    const fresh = [...declared].filter(([place]) => !this.#loops.has(place))
    for (const [index, [place, loop]] of fresh.entries()) {
      this.#loops.set(place, loop)
      // Not all at the same instant: neither those of this process, nor those of another that started with it.
      loop.start(Math.floor((loop.every * (index + this.#ports.chance())) / fresh.length))
    }
  }

  /** For good. */
  stop(): void {
    this.#stopped = true
    for (const loop of this.#loops.values()) loop.stop()
    this.#loops.clear()
  }

  /** Call this when a replica is ejected: its next probe runs as soon as the ejection ends. */
  changed(pool: string, { url }: Replica): void {
    this.#loops.get(placeOf(pool, url))?.hurry()
  }

  /** Probes a replica now, for an operator. Once it answers, a request may try it; a failure is only reported. */
  async probeNow(pool: Pool, replica: Replica, settings: BackendSettings): Promise<ProbeResult> {
    const path =
      settings.probe?.path ?? `${new URL(replica.url).pathname.replace(/\/$/, '')}${dialectOf(pool).modelsPath}`
    const target = { replica: replica.url, path, settings, limit: limitOf(settings) }
    const result = await new Promise<ProbeResult>(resolve => sendProbe(this.#ports, target, resolve))
    replica.probed = result
    if (result.ok) {
      this.#loops.get(placeOf(pool.name, replica.url))?.forgive()
      replica.breaker.letTry()
    }
    return result
  }

  /** A loop for each replica whose pool declares `probe`, not started. */
  #declared(): Map<string, ProbeLoop> {
    const { pools, current } = this.#ports
    const loops = new Map<string, ProbeLoop>()
    const { config, settings } = current()
    for (const pool of config.pools.values()) {
      const probe = settings.backends.get(pool.name)?.probe
      if (!probe) continue
      for (const replica of pools.of(pool.name).replicas(pool)) {
        const again: ProbeLoopPorts['probe'] = over => this.#probeAgain(pool.name, replica, over)
        loops.set(placeOf(pool.name, replica.url), new ProbeLoop({ ...this.#ports, probe: again }, replica, probe))
      }
    }
    return loops
  }

  /** As its pool declares it now: a reload may have brought another key. */
  #probeAgain(pool: string, replica: Replica, over: Parameters<ProbeLoopPorts['probe']>[0]): Cancel {
    const settings = this.#ports.current().settings.backends.get(pool)
    if (!settings?.probe) throw new Error(`pool ${pool} is watched and declares no probe`)
    const target = { replica: replica.url, path: settings.probe.path, settings, limit: limitOf(settings) }
    return sendProbe(this.#ports, target, result => over(result, settings.eject.for))
  }
}

/** Where another process probes: breakers wait for its news before requests try a replica again. */
export function awaitProbes(pools: Pools, { config, settings }: ReturnType<ProbesPorts['current']>): void {
  for (const pool of config.pools.values()) {
    const isProbed = settings.backends.get(pool.name)?.probe !== undefined
    for (const { breaker } of pools.of(pool.name).replicas(pool)) breaker.watched = isProbed
  }
}

const placeOf = (pool: string, url: string): string => `${pool} ${url}`

const limitOf = ({ probe }: BackendSettings): Millis => Math.min(probe?.every ?? LONGEST, LONGEST)
