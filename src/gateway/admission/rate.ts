import { type Hold, minuteEnd } from '../../policy/account-counters.ts'
import type { EpochMs } from '../../policy/config.ts'
import type { Allowed, Claims } from '../../policy/decision.ts'
import { mostOf } from '../../policy/limits.ts'
import type { Readings } from '../../policy/readings.ts'
import type { RateState } from '../../wire/quota-headers.ts'

/** An admitted request, with what the store read of its account at the admission. */
interface Counted {
  readonly decision: Allowed
  readonly readings: Readings
  readonly hold: Hold
}

/** What the admission of a request left of the minute: the tokens that it reserved count as used. */
export function rateAfter({ decision, readings, hold }: Counted): RateState {
  const { limits } = decision.claims
  const { round, spent, at, second } = hold
  return {
    requests: left(mostOf(limits, 'rpm'), readings.requests + 1),
    tokens: left(mostOf(limits, 'tpm'), readings.tokens + spent.tokens + hold.tokens),
    // A later round counts in a later second, and only the moment of the admission is known.
    resetMs: minuteEnd(second) - (round === 0 ? at : second * 1000),
  }
}

/** What was left of the minute when a request was refused; `newest` is the last second that counts, or 0. */
export const rateAt = (
  { limits }: Claims,
  readings: Readings,
  { at, newest }: { readonly at: EpochMs; readonly newest: number },
): RateState => ({
  requests: left(mostOf(limits, 'rpm'), readings.requests),
  tokens: left(mostOf(limits, 'tpm'), readings.tokens),
  resetMs: newest === 0 ? 0 : minuteEnd(newest) - at,
})

const left = (limit: number, used: number) => ({ limit, remaining: Math.max(0, limit - used) })
