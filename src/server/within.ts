import type { Millis } from '../policy/config.ts'

/** Whether a promise is fulfilled in time. Real time, whatever the clock says: what is waited for is this machine. */
export async function within(time: Millis, promise: Promise<unknown>): Promise<boolean> {
  const overdue = Symbol('overdue')
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<symbol>(resolve => {
    timer = setTimeout(resolve, time, overdue)
  })
  try {
    return (await Promise.race([promise, late])) !== overdue
  } finally {
    clearTimeout(timer)
  }
}
