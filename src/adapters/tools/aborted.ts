import { setMaxListeners } from 'node:events'
import type { Cancel } from '../../gateway/ports.ts'

/** What comes of the work; rejects as soon as the signal is aborted, whatever comes of it then. */
export function untilAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = onAborted(signal, () => reject(signal.reason))
    work.then(resolve, reject).finally(cancel)
  })
}

/** Runs once the signal is aborted, at once if it is, unless it was called off. */
export function onAborted(signal: AbortSignal, run: () => void): Cancel {
  // As many as there are calls, which is no leak.
  setMaxListeners(0, signal)
  if (signal.aborted) run()
  else signal.addEventListener('abort', run, { once: true })
  return () => signal.removeEventListener('abort', run)
}
