import { monitorEventLoopDelay } from 'node:perf_hooks'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import type { Sample } from '../http/listener/overload.ts'

/**
 * How V8 collects garbage in a process that serves (docs/decisions/018). By itself it gives the room for young objects
 * back after some seconds of rest, and the next requests pay for its growth. And it collects the whole heap once buffers
 * have taken 8 MB, which they do between two collections of the young: then it never gets to those.
 */
export const collectorFlags: readonly string[] = ['--no-memory-reducer', '--heap-growing-percent=200']

/** For the whole of this process, from its next collection on. */
export function tuneCollector(): void {
  for (const flag of collectorFlags) setFlagsFromString(flag)
}

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
