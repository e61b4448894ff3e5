import { vi } from 'vitest'
import { HANGS_MS } from '../lanes/hangs.ts'

interface Patience {
  readonly timeout: number
  readonly interval: number
}

/** Resolves with what `check` returns once it neither throws nor rejects; calls it every 50 ms. */
export const eventually = <T>(check: () => T | Promise<T>, patience?: Patience): Promise<T> =>
  vi.waitFor(check, patience ?? { timeout: HANGS_MS, interval: 50 })
