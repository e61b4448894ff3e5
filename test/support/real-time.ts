import type { VirtualClock } from './clock.ts'

/** Lets the time of a gateway pass as that of its clients does, until the returned function is called. */
export function followTime(clock: VirtualClock): () => void {
  let last = Date.now()
  const timer = setInterval(() => {
    const now = Date.now()
    clock.advance(now - last)
    last = now
  }, 10)
  return () => clearInterval(timer)
}
