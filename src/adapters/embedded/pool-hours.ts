import type { PoolBudgetAmend, PoolBudgetTake } from '../../gateway/store/pool-budget-store.ts'
import { type Allowance, amend, costIn, newAllowance, take } from '../../policy/allowance.ts'
import type { EpochMs } from '../../policy/config.ts'
import type { NanoUsd } from '../../policy/nano-usd.ts'
import { put, type Write } from './lmdb.ts'
import type { Records } from './records.ts'
import { type Kept, Unwritten } from './unwritten.ts'

/** What counts against the hours of pools: in memory, and all of it is synchronous. */
export class PoolHours implements Kept {
  readonly #hours = new Map<string, Allowance>()
  readonly #unwritten = new Unwritten<string>()

  constructor({ allowances }: Pick<Records, 'allowances'>) {
    for (const { key, value } of allowances.getRange()) this.#hours.set(key, value)
  }

  /** The moment it was counted at; undefined, and nothing taken, when it would pass the limit. */
  take({ pool, amount, limit }: PoolBudgetTake, at: EpochMs): EpochMs | undefined {
    const taken = take(this.#of(pool), { amount, limit }, at)
    if (taken) this.#put(pool, taken.allowance)
    return taken?.at
  }

  amend({ pool, at: counted, difference }: PoolBudgetAmend, at: EpochMs): void {
    this.#put(pool, amend(this.#of(pool), { counted, difference }, at))
  }

  read(pool: string, at: EpochMs): NanoUsd {
    return costIn(this.#of(pool), at)
  }

  writes({ allowances }: Records): Write[] {
    return this.#unwritten.begin(pool => put(allowances, pool, this.#of(pool)))
  }

  written(): void {
    this.#unwritten.written()
  }

  failed(): void {
    this.#unwritten.failed()
  }

  #of(pool: string): Allowance {
    return this.#hours.get(pool) ?? newAllowance
  }

  #put(pool: string, hour: Allowance): void {
    this.#hours.set(pool, hour)
    this.#unwritten.add(pool)
  }
}
