import type { PoolBudgetAmend, PoolBudgetStore, PoolBudgetTake } from '../../gateway/store/pool-budget-store.ts'
import type { EpochMs } from '../../policy/config.ts'
import type { NanoUsd } from '../../policy/nano-usd.ts'
import type { StoreState } from './store-state.ts'

/** The budgets of pools. A crash forgets what was reserved in the last 250 ms; a reservation that was never amended counts for its hour. */
export class EmbeddedPoolBudgets implements PoolBudgetStore {
  readonly #state: () => StoreState

  /** `state` throws StoreUnavailable once the store is closed. */
  constructor(state: () => StoreState) {
    this.#state = state
  }

  async take(reservation: PoolBudgetTake): Promise<EpochMs | undefined> {
    const { poolHours, writer, now } = this.#state()
    const at = poolHours.take(reservation, now())
    if (at !== undefined) writer.soon()
    return at
  }

  async amend(correction: PoolBudgetAmend): Promise<void> {
    const { poolHours, writer, now } = this.#state()
    poolHours.amend(correction, now())
    writer.soon()
  }

  async read(pool: string): Promise<NanoUsd> {
    const { poolHours, now } = this.#state()
    return poolHours.read(pool, now())
  }
}
