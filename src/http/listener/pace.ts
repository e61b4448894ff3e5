import type { Cancel, Clock } from '../../gateway/ports.ts'
import type { Millis } from '../../policy/config.ts'
import type { HttpCall } from './call.ts'

/** The average rate that an upload must keep: a slow line keeps it, a client that only holds a connection does not. */
const BYTES_PER_SECOND = 8192
const SOONEST: Millis = 1000

/**
 * Waits for an upload that did not arrive in time, as long as what came of it is worth at this pace, and `silence` at
 * most between two bytes. `late` runs unless it is complete or over before.
 */
export function keepPace(call: HttpCall, silence: Millis, after: Clock['after'], late: () => void): void {
  const { request, received = () => 0 } = call
  let waited: Millis = 0
  let before = -1
  let cancel: Cancel = () => {}
  const wait = () => {
    if (request.complete) return
    const left = (received() / BYTES_PER_SECOND) * 1000 - waited
    // Where a backend is slow to read, the client cannot send.
    const isSilent = received() === before && !request.isPaused()
    if (left <= 0 || isSilent) return void late()
    before = received()
    const time = Math.min(Math.max(left, SOONEST), silence)
    waited += time
    cancel = after(time, wait)
  }
  wait()
  call.onClosed(() => cancel())
}
