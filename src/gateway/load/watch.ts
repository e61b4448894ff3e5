import type { LoadSettings, Settings } from '../../config/settings.ts'
import type { Config } from '../../policy/config.ts'
import type { Pools } from '../pools/pools.ts'
import type { Alarm, Cancel } from '../ports.ts'
import { LoadLoop } from './loop.ts'
import { type LoadResult, type ReadLoadPorts, readLoad } from './read-load.ts'

export interface LoadWatchPorts extends ReadLoadPorts {
  readonly pools: Pools
  readonly alarm: Alarm
  /** Gives numbers in [0, 1). */
  readonly chance: () => number
  /** The configuration that serves now. */
  readonly current: () => { readonly config: Config; readonly settings: Settings }
}

/**
 * Reads the load of the replicas of pools that declare `load`. One process of a gateway has one, which follows the
 * configuration; the others get the reports from it.
 */
export class LoadWatch {
  readonly #ports: LoadWatchPorts
  readonly #loops = new Map<string, LoadLoop>()
  #stopped = false

  constructor(ports: LoadWatchPorts) {
    this.#ports = ports
  }

  /** Reads exactly the declared replicas. Call it at the start and after each reload. */
  follow(): void {
    if (this.#stopped) return
    const declared = this.#declared()
    for (const [place, loop] of this.#loops) {
      if (isSame(declared.get(place)?.load, loop.load)) continue
      loop.dismiss()
      this.#loops.delete(place)
    }
    const fresh = [...declared].filter(([place]) => !this.#loops.has(place))
    for (const [index, [place, loop]] of fresh.entries()) {
      this.#loops.set(place, loop)
      // Not all at the same instant: neither those of this process, nor those of another that started with it.
      loop.start(Math.floor((loop.load.every * (index + this.#ports.chance())) / fresh.length))
    }
  }

  /** For good. */
  stop(): void {
    this.#stopped = true
    for (const loop of this.#loops.values()) loop.stop()
    this.#loops.clear()
  }

  /** A loop for each replica whose pool declares `load`, not started. */
  #declared(): ReadonlyMap<string, LoadLoop> {
    const { pools, current } = this.#ports
    const { config, settings } = current()
    const loops = new Map<string, LoadLoop>()
    for (const pool of config.pools.values()) {
      const load = settings.backends.get(pool.name)?.load
      if (!load) continue
      for (const replica of pools.of(pool.name).replicas(pool)) {
        const read = (over: (result: LoadResult) => void) => this.#read(pool.name, replica.url, over)
        const source = { pool: pool.name, replica, load }
        loops.set(`${pool.name} ${replica.url}`, new LoadLoop({ ...this.#ports, read }, source))
      }
    }
    return loops
  }

  /** As its pool declares it now: a reload may have brought another key. */
  #read(pool: string, replica: string, over: (result: LoadResult) => void): Cancel {
    const settings = this.#ports.current().settings.backends.get(pool)
    if (!settings?.load) throw new Error(`the load of pool ${pool} is read, and it declares no load`)
    return readLoad(this.#ports, { replica, load: settings.load, settings }, over)
  }
}

const isSame = (one: LoadSettings | undefined, other: LoadSettings): boolean =>
  one?.from === other.from && one.url === other.url && one.every === other.every
