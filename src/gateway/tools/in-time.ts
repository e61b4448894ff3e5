import type { Millis } from '../../policy/config.ts'
import type { Cancel, Clock } from '../ports.ts'

/** What nobody waits for after some time, or once somebody else calls it off. */
export interface Limits {
  readonly clock: Clock
  readonly time: Millis
  /** Runs when it is called off. */
  readonly onCalledOff: (run: () => void) => Cancel
}

/** What comes of the work. Undefined when it is called off, or late: then its signal is aborted with a TimeoutError. */
export async function inTime<T>(
  { clock, time, onCalledOff }: Limits,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const controller = new AbortController()
  const { signal } = controller
  const late = new DOMException(`not within ${time} ms`, 'TimeoutError')
  const watches = [clock.after(time, () => controller.abort(late)), onCalledOff(() => controller.abort())]
  try {
    return await Promise.race([work(signal), aborted(signal)])
  } finally {
    for (const cancel of watches) cancel()
  }
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise(resolve => {
    if (signal.aborted) resolve(undefined)
    else signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })
}
