import type { PoolBudgetAmend, PoolBudgetStore, PoolBudgetTake } from '../../gateway/store/pool-budget-store.ts'
import type { EpochMs } from '../../policy/config.ts'
import { type NanoUsd, nanoUsd } from '../../policy/nano-usd.ts'
import type { Access } from './access.ts'
import { POOLS } from './layout.ts'

/** The budgets of pools, all in one bucket. */
export class RedisPoolBudgets implements PoolBudgetStore {
  readonly #access: Access

  constructor(access: Access) {
    this.#access = access
  }

  /** A reservation whose answer came too late counts for its hour, since its effect is unknown. */
  async take({ pool, amount, limit }: PoolBudgetTake): Promise<EpochMs | undefined> {
    const [outcome, at] = await this.#run(pool, ['take', amount, limit])
    return outcome === 'take' ? Number(at) : undefined
  }

  async amend({ pool, at, difference }: PoolBudgetAmend): Promise<void> {
    await this.#run(pool, ['amend', difference, at])
  }

  async read(pool: string): Promise<NanoUsd> {
    const [, cost] = await this.#run(pool, ['read'])
    return nanoUsd(Number(cost))
  }

  #run(pool: string, values: readonly (string | number)[]) {
    return this.#access.script(POOLS, 'allowance', [this.#access.layout.pools.allowance(pool)], values)
  }
}
