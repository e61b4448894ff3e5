import type { EpochMs } from '../../policy/config.ts'
import type { NanoUsd } from '../../policy/nano-usd.ts'
import type { BudgetSpan } from '../../policy/pool-budget.ts'

/** The hourly budgets of pools, and the daily ones of mirrors: one facet of the Store, see there for atomicity, clock and outages. */
export interface PoolBudgetStore {
  /**
   * Reserves an amount of a pool's hourly budget, or a mirror's daily one, across all gateways: every span of that length holds at
   * most `limit`. Daily reservations are durable. Resolves to the moment it was counted at, or to undefined without a reservation
   * if it would exceed the limit.
   */
  take(take: PoolBudgetTake): Promise<EpochMs | undefined>
  /** Corrects what was reserved to what it cost; ignored once the reservation has left the hour. */
  amend(amend: PoolBudgetAmend): Promise<void>
  /** The amount that counts against a budget now, in nano-USD. */
  read(pool: string, span?: BudgetSpan): Promise<NanoUsd>
}

export interface PoolBudgetTake {
  /** The name of the pool; `mirror:` and the name of its model for a mirror. */
  readonly pool: string
  /** An hour, unless it is said. */
  readonly span?: BudgetSpan
  readonly amount: NanoUsd
  readonly limit: NanoUsd
}

export interface PoolBudgetAmend {
  readonly pool: string
  readonly span?: BudgetSpan
  /** The moment that `take` resolved to. */
  readonly at: EpochMs
  /** The actual cost less the reserved amount, usually negative. The sum of a minute never falls below 0. */
  readonly difference: NanoUsd
}
