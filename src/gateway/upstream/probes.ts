import type { BackendSettings, Settings } from '../../config/settings.ts'
import type { Config, Millis, Pool } from '../../policy/config.ts'
import { dialectOf } from '../../wire/dialects.ts'
import type { Cancel } from '../ports.ts'
import type { Pools, Replica } from './pools.ts'
import { askReplica, type Probed, type ProbePorts } from './probe.ts'
import { ProbeLoop, type ProbeLoopPorts } from './probe-loop.ts'

/** The longest that a replica may take to answer a probe. */
const LONGEST: Millis = 5000

export interface ProbesPorts extends ProbePorts {
  readonly pools: Pools
  /** Gives numbers in [0, 1). */
  readonly chance: () => number
  /** What serves now. */
  readonly current: () => { readonly config: Config; readonly settings: Settings }
}

/** Asks the replicas of pools that declare `probe`, again and again. Of the process: it follows the configuration. */
export class Probes {
  readonly #ports: ProbesPorts
  readonly #loops = new Map<string, ProbeLoop>()
  #stopped = false

  constructor(ports: ProbesPorts) {
    this.#ports = ports
  }

  /** Watches what is declared now, and nothing else. To be called at the start, and after each reload. */
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

  /** To be called when a replica is ejected: it is asked again as soon as its time is over. */
  changed(pool: string, { url }: Replica): void {
    this.#loops.get(placeOf(pool, url))?.hurry()
  }

  /** Asks a replica now, because an operator wants to know. Once it answers, a request may try it; a failure is only reported. */
  async ask(pool: Pool, replica: Replica, settings: BackendSettings): Promise<Probed> {
    const path =
      settings.probe?.path ?? `${new URL(replica.url).pathname.replace(/\/$/, '')}${dialectOf(pool).modelsPath}`
    const question = { replica: replica.url, path, settings, limit: limitOf(settings) }
    const probed = await new Promise<Probed>(resolve => askReplica(this.#ports, question, resolve))
    replica.probed = probed
    if (probed.ok) {
      this.#loops.get(placeOf(pool.name, replica.url))?.forgive()
      replica.breaker.letTry()
    }
    return probed
  }

  /** A watch for each replica that is to be asked, not begun. */
  #declared(): Map<string, ProbeLoop> {
    const { pools, current } = this.#ports
    const loops = new Map<string, ProbeLoop>()
    const { config, settings } = current()
    for (const pool of config.pools.values()) {
      const probe = settings.backends.get(pool.name)?.probe
      if (!probe) continue
      for (const replica of pools.of(pool.name).replicas(pool)) {
        const ask: ProbeLoopPorts['ask'] = over => this.#askAgain(pool.name, replica, over)
        loops.set(placeOf(pool.name, replica.url), new ProbeLoop({ ...this.#ports, ask }, replica, probe))
      }
    }
    return loops
  }

  /** As its pool declares it now: a reload may have brought another key. */
  #askAgain(pool: string, replica: Replica, over: Parameters<ProbeLoopPorts['ask']>[0]): Cancel {
    const settings = this.#ports.current().settings.backends.get(pool)
    if (!settings?.probe) throw new Error(`pool ${pool} is watched and declares no probe`)
    const question = { replica: replica.url, path: settings.probe.path, settings, limit: limitOf(settings) }
    return askReplica(this.#ports, question, probed => over(probed, settings.eject.for))
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
