import { totalmem } from 'node:os'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Clock } from '../gateway/ports.ts'
import type { Millis } from '../policy/config.ts'

/** The memory that the process may use: of its cgroup, where that says so, else of the machine. */
export function memoryBytes(): number {
  const total = totalmem()
  const constrained = process.constrainedMemory()
  return constrained > 0 ? Math.min(total, constrained) : total
}

/** It holds up everything for some ten ms: not while there is more to do. */
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
