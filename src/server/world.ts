import { randomBytes } from 'node:crypto'
import type { PublicAgentPorts } from '../adapters/notices/public-agent.ts'
import { afterReading, outOfPatience } from '../gateway/patience.ts'
import type { Clock, Random } from '../gateway/ports.ts'
import type { Millis } from '../policy/config.ts'

/** Time, chance and the outside, as arguments. */
export interface World {
  readonly clock: Clock
  readonly random: Random
  /** Gives numbers in [0, 1). */
  readonly chance: () => number
  /** How long Redis may be silent, where that is not what its adapter waits. */
  readonly redisAnswerMs?: Millis
  /** The ways to hosts that customers name, where they are not those of this machine. */
  readonly publicHosts?: PublicAgentPorts
}

/** The clock and randomness of this machine: nothing else in the source reads them. */
export const world: World = {
  clock: {
    now: Date.now,
    elapsed: () => performance.now(),
    after: afterReading,
  },
  random: randomBytes,
  chance: Math.random,
}

/**
 * Whether a promise is fulfilled in time. Real time, whatever the clock says: what is waited for is this machine. Time in which
 * this process got no CPU does not count.
 */
export async function within(time: Millis, promise: Promise<unknown>): Promise<boolean> {
  const overdue = Symbol('overdue')
  let callOff = () => {}
  const late = new Promise<symbol>(resolve => {
    callOff = outOfPatience({ time }, () => resolve(overdue))
  })
  try {
    return (await Promise.race([promise, late])) !== overdue
  } finally {
    callOff()
  }
}
