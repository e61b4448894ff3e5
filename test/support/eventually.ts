import { vi } from 'vitest'

interface Patience {
  readonly timeout: number
  readonly interval: number
}

/**
 * What `check` gives, once it no longer throws or rejects; asked again every 50 ms. On a busy machine the second that vitest
 * waits is soon over, and what a test waits for either comes or never does: so it has 20 s.
 */
export const eventually = <T>(check: () => T | Promise<T>, patience?: Patience): Promise<T> =>
  vi.waitFor(check, patience ?? { timeout: 20_000, interval: 50 })
