import type { OpenHold } from '../../../src/adapters/embedded/open-holds.ts'
import type { EpochMs } from '../../../src/policy/config.ts'
import type { Hold } from '../../../src/policy/counters/account-counters.ts'
import { readingsOfNumbers } from '../../../src/policy/limits/readings.ts'
import { nanoUsd, ZERO_USD } from '../../../src/policy/nano-usd.ts'
import { NOON } from './fixtures.ts'

/** A hold of acct_a, taken at noon, for tests to which only its id matters. */
export const holdOf = (requestId: string): Hold => ({
  requestId,
  account: 'acct_a',
  output: 20,
  tokens: 30,
  cost: nanoUsd(50),
  second: NOON / 1000,
  window: NOON,
  at: NOON,
  round: 0,
  spent: { tokens: 0, cost: ZERO_USD },
})

/** A hold that is still running. */
export const heldOf = (requestId: string, leaseUntil: EpochMs = NOON): OpenHold => ({
  hold: holdOf(requestId),
  readings: readingsOfNumbers([]),
  leaseUntil,
})
