import { totalmem } from 'node:os'
import { getHeapStatistics } from 'node:v8'
import type { Alarm, Cancel, Clock } from '../gateway/ports.ts'
import type { Sample } from '../http/listener/overload.ts'
import type { Millis } from '../policy/config.ts'
import { processLoad } from './process-load.ts'

/** The memory that the process may use: of its cgroup, where that says so, else of the machine. */
export function memoryBytes(): number {
  const total = totalmem()
  const constrained = process.constrainedMemory()
  return constrained > 0 ? Math.min(total, constrained) : total
}

/** Samples this process's load; each call starts a new sample. */
export function loadSampler(): () => Sample {
  const load = processLoad()
  return () => {
    const { used_heap_size, heap_size_limit } = getHeapStatistics()
    return { ...load(), heapRatio: used_heap_size / heap_size_limit }
  }
}

const EVERY: Millis = 1000
/** Descriptors come and go while a process is at its limit: it is over once they were there for as long. */
const OVER_AFTER: Millis = 10_000

/**
 * Alarms when the process has no file descriptor left, and when that is over. Node accepts connections then only to close
 * them, and reports it nowhere: clients see a reset, and the operator nothing.
 */
export function watchDescriptors(clock: Clock, alarm: Alarm, hasDescriptor: () => boolean): Cancel {
  let lackedAt: number | undefined
  let stop: Cancel = () => {}
  const look = () => {
    const now = clock.elapsed()
    if (!hasDescriptor()) {
      if (lackedAt === undefined)
        alarm('no file descriptor is left: new connections are closed unserved', { hint: HINT })
      lackedAt = now
    } else if (lackedAt !== undefined && now - lackedAt >= OVER_AFTER) {
      lackedAt = undefined
      alarm('there are file descriptors again: new connections are served')
    }
    stop = clock.after(EVERY, look)
  }
  stop = clock.after(EVERY, look)
  return () => stop()
}

const HINT = 'raise the limit of open files (LimitNOFILE), or lower limits.connections'
