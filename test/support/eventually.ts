import { vi } from 'vitest'

/**
 * What `check` gives, once it no longer throws or rejects; asked again every 50 ms. On a busy machine the second that vitest
 * waits is soon over, and what a test waits for either comes or never does: so it has 20 s.
 */
export const eventually = <T>(check: () => T | Promise<T>): Promise<T> => vi.waitFor(check, { timeout: 20_000 })
