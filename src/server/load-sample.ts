import { monitorEventLoopDelay } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import type { Sample } from '../http/listener/overload.ts'

/** How often the event loop is asked to come, in ms. */
const RESOLUTION_MS = 10

/** What this process says of itself; each call begins anew. */
export function loadSampler(): () => Sample {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delays.enable()
  return () => {
    // Of no delay at all, the histogram says the resolution.
    const lagMs = delays.count === 0 ? 0 : Math.max(0, delays.percentile(99) / 1e6 - RESOLUTION_MS)
    delays.reset()
    const { used_heap_size, heap_size_limit } = getHeapStatistics()
    return { lagMs, heapRatio: used_heap_size / heap_size_limit }
  }
}
