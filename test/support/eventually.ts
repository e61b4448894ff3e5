import { vi } from 'vitest'

interface Patience {
  readonly timeout: number
  readonly interval: number
}

/** Against hanging alone: what a test waits for either comes or never does, however busy the machine is. */
const HANGS_MS = 60_000

/** Resolves with what `check` returns once it neither throws nor rejects; calls it every 50 ms. */
export const eventually = <T>(check: () => T | Promise<T>, patience?: Patience): Promise<T> =>
  vi.waitFor(check, patience ?? { timeout: HANGS_MS, interval: 50 })
