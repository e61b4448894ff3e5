import type { Alarm, Cancel, Clock } from '../gateway/ports.ts'
import type { Millis } from '../policy/config.ts'

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
