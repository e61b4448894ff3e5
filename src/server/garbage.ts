import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Cancel, Clock } from '../gateway/ports.ts'
import type { Millis } from '../policy/config.ts'
import { cpuSeconds } from './process-load.ts'

let exposed: (() => void) | undefined

/** Collects the whole heap. Node exposes the collector only under a flag, which is set with the first call. */
function collectNow(): void {
  if (!exposed) {
    setFlagsFromString('--expose-gc')
    exposed = runInNewContext('gc') as () => void
  }
  exposed()
}

/** A collection holds up everything for some 10 ms, so it comes later, when there may be less to do. */
const COLLECT_AFTER: Millis = 5000

/** Asks for a collection: it comes a moment later, once for all that asked in between, if it is still worth it. */
export function collectSoon({ after }: Pick<Clock, 'after'>, isWorth: () => boolean): () => void {
  let isAsked = false
  return () => {
    if (isAsked) return
    isAsked = true
    after(COLLECT_AFTER, () => {
      isAsked = false
      if (isWorth()) collectNow()
    })
  }
}

/** An idle process gives back what it holds beyond this, and looks whether it does as often. */
const SPARE_BYTES = 32_000_000
const LOOK_EVERY: Millis = 5000
/** A process that takes less of a core is at rest: a collection of some 20 ms holds up nobody. */
const IDLE_CPU = 0.05
/**
 * A process is idle once it has been at rest for so long. A collection also drops the compiled code of objects that no request
 * holds any more, and the requests after it pay for compiling again: nearly twice their CPU for two seconds. Agents pause for
 * seconds, so that memory waits for longer, and is back half a minute after a burst.
 */
const IDLE_AFTER: Millis = 20_000
/** So much is given back at the first look at rest: large bodies left it, and other programs may need it. */
const MUCH_BYTES = 128_000_000
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
  collect: () => void = collectNow,
): Cancel {
  let neededBytes = idleness().heldBytes
  let atRest: Millis = 0
  const look = () => {
    const { heldBytes, cpuRatio } = idleness()
    neededBytes = Math.min(neededBytes, heldBytes)
    atRest = cpuRatio < IDLE_CPU ? atRest + LOOK_EVERY : 0
    const spareBytes = heldBytes - neededBytes
    if (atRest >= (spareBytes > MUCH_BYTES ? LOOK_EVERY : IDLE_AFTER) && spareBytes > SPARE_BYTES) {
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

/**
 * How V8 collects garbage in a process that serves (docs/decisions/018). Without this, V8 returns the young generation's memory
 * after some seconds of rest, and the next requests pay for growing it. V8 would also collect the whole heap for every 8 MB of new
 * buffers, which arrive between two collections of the young generation, and so never reach those.
 */
export const collectorFlags: readonly string[] = ['--no-memory-reducer', '--heap-growing-percent=200']

/** Sets the flags for the whole process, from its next collection on. */
export function tuneCollector(): void {
  for (const flag of collectorFlags) setFlagsFromString(flag)
}
