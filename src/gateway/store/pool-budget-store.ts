import type { EpochMs } from '../../policy/config.ts'
import type { NanoUsd } from '../../policy/nano-usd.ts'

/** The hourly budgets of pools: one facet of the Store, see there for atomicity, clock and outages. */
export interface PoolBudgetStore {
  /**
   * Reserves an amount of what a pool may cost in an hour, over all gateways: every span of 60 minutes holds at most
   * `limit`. Resolves to the moment it was counted at, or to undefined, reserving nothing, when it would pass the limit.
   */
  take(take: PoolBudgetTake): Promise<EpochMs | undefined>
  /** Corrects what was reserved to what it cost; ignored once the reservation has left the hour. */
  amend(amend: PoolBudgetAmend): Promise<void>
  /** The amount that counts against a pool's hour now, in nano-USD. */
  read(pool: string): Promise<NanoUsd>
}

export interface PoolBudgetTake {
  readonly pool: string
  readonly amount: NanoUsd
  readonly limit: NanoUsd
}

export interface PoolBudgetAmend {
  readonly pool: string
  /** The moment that `take` resolved to. */
  readonly at: EpochMs
  /** The actual cost less the reserved amount, usually negative. The sum of a minute never falls below 0. */
  readonly difference: NanoUsd
}
