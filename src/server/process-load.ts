import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Millis } from '../policy/config.ts'

/** How busy this process was since the call before. */
export interface ProcessLoad {
  /** How late the event loop came: the 99th percentile. */
  readonly lagMs: Millis
  /** CPU time of this process, divided by the time that passed. */
  readonly cpuRatio: number
}

/** Watches this process from now on; each call starts anew. */
export function processLoad(): () => ProcessLoad {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delays.enable()
  let [at, cpu] = [performance.now(), cpuSeconds()]
  return () => {
    const [since, before] = [at, cpu]
    at = performance.now()
    cpu = cpuSeconds()
    // Without any delay, the histogram shows its resolution.
    const lagMs = delays.count === 0 ? 0 : Math.max(0, delays.percentile(99) / 1e6 - RESOLUTION_MS)
    delays.reset()
    return { lagMs, cpuRatio: ((cpu - before) * 1000) / (at - since) }
  }
}

/** CPU time of this process so far, its own and that of the system for it. */
export function cpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

/** How often the event loop is asked to come. */
const RESOLUTION_MS: Millis = 10
