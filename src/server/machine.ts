import { totalmem } from 'node:os'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
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

/** A collection holds up everything for some 10 ms, so it comes later, when there may be less to do. */
const COLLECT_AFTER: Millis = 5000

/** Asks for a collection: it comes a moment later, once for all that asked in between, if it is still worth it. */
export function collectSoon({ after }: Pick<Clock, 'after'>, isWorth: () => boolean): () => void {
  let isAsked = false
  let collect: (() => void) | undefined
  return () => {
    if (isAsked) return
    isAsked = true
    after(COLLECT_AFTER, () => {
      isAsked = false
      if (!isWorth()) return
      collect ??= collector()
      collect()
    })
  }
}

/** Node hands it out only where a flag says so. */
function collector(): () => void {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as () => void
}

/**
 * How V8 collects garbage in a process that serves (docs/decisions/018). By itself it gives the room for young objects
 * back after some seconds of rest, and the next requests pay for its growth. And it collects the whole heap once buffers
 * have taken 8 MB, which they do between two collections of the young: then it never gets to those.
 */
export const collectorFlags: readonly string[] = ['--no-memory-reducer', '--heap-growing-percent=200']

/** Sets the flags for the whole process, from its next collection on. */
export function tuneCollector(): void {
  for (const flag of collectorFlags) setFlagsFromString(flag)
}

/** Samples this process's load; each call begins anew. */
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
