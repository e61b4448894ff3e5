import { randomBytes } from 'node:crypto'
import type { Clock, Random } from '../gateway/ports.ts'

/** Time and chance, as arguments. */
export interface World {
  readonly clock: Clock
  readonly random: Random
  /** Gives numbers in [0, 1). */
  readonly chance: () => number
}

/** Those of this machine: read here and nowhere else. */
export const world: World = {
  clock: {
    now: Date.now,
    elapsed: () => performance.now(),
    after: (time, run) => {
      const timer = setTimeout(run, time)
      return () => clearTimeout(timer)
    },
  },
  random: randomBytes,
  chance: Math.random,
}
