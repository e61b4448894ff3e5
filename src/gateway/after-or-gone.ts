import type { Millis } from '../policy/config.ts'
import type { Cancel, Client, Clock } from './ports.ts'

/** Runs once, when the time is over or the client leaves, unless it was called off; never before this has returned. */
export function afterOrGone(time: Millis, clock: Clock, client: Client, run: () => void): Cancel {
  let watches: Cancel[] = []
  const stop = () => {
    for (const cancel of watches) cancel()
    watches = []
  }
  const end = () => {
    stop()
    run()
  }
  if (!client.gone) watches = [clock.after(time, end), client.onGone(end)]
  else {
    let isOff = false
    watches = [
      () => {
        isOff = true
      },
    ]
    queueMicrotask(() => isOff || end())
  }
  return stop
}
