import { totalmem } from 'node:os'
import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Alarm, Cancel, Clock } from '../gateway/ports.ts'
import type { Sample } from '../http/listener/overload.ts'
import type { Millis } from '../policy/config.ts'
import { cpuSeconds, processLoad } from './process-load.ts'

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

/** An idle process gives back what it holds beyond this, and looks whether it does as often. */
const SPARE_BYTES = 32_000_000
const LOOK_EVERY: Millis = 5000
/** A process that takes less of a core is idle: a collection of some 20 ms holds up nobody. */
const IDLE_CPU = 0.05
/** A collection that frees less shows that the rest is in use. */
const LITTLE_BYTES = 8_000_000

/** Memory that the process holds for old objects and buffers, in use or not, and the part of a core it took since the call before. */
export interface Idleness {
  readonly heldBytes: number
  readonly cpuRatio: number
}

/**
 * Gives back the memory of a burst once the process is idle: V8 collects when memory is asked for, so an idle process would
 * keep all of it. The first collection leaves pages that are nearly empty, which the next one clears.
 */
export function collectWhenIdle(
  { after }: Pick<Clock, 'after'>,
  idleness: () => Idleness,
  collect: () => void = collector(),
): Cancel {
  let neededBytes = idleness().heldBytes
  const look = () => {
    const { heldBytes, cpuRatio } = idleness()
    neededBytes = Math.min(neededBytes, heldBytes)
    if (cpuRatio < IDLE_CPU && heldBytes > neededBytes + SPARE_BYTES) {
      collect()
      const left = idleness().heldBytes
      if (heldBytes - left < LITTLE_BYTES) neededBytes = left
    }
    stop = after(LOOK_EVERY, look)
  }
  let stop = after(LOOK_EVERY, look)
  return () => stop()
}

/** Samples this process. The room for young objects does not count: the next requests would pay for its growth. */
export function idlenessSampler(): () => Idleness {
  let [at, cpu] = [performance.now(), cpuSeconds()]
  return () => {
    const [since, before] = [at, cpu]
    at = performance.now()
    cpu = cpuSeconds()
    const old = getHeapSpaceStatistics().filter(({ space_name }) => space_name !== 'new_space')
    const heldBytes = old.reduce((sum, { space_size }) => sum + space_size, getHeapStatistics().external_memory)
    return { heldBytes, cpuRatio: ((cpu - before) * 1000) / (at - since) }
  }
}

/** Node exposes it only with a flag. */
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
