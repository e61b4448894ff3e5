import type { PoolBudgetAmend, PoolBudgetTake } from '../../gateway/store/pool-budget-store.ts'
import type { EpochMs, Millis } from '../../policy/config.ts'
import { type Charge, dayAt, type Hold, NO_SPEND, type Spend } from '../../policy/counters/account-counters.ts'
import { addNanoUsd, type NanoUsd, nanoUsd, subtractNanoUsd, ZERO_USD } from '../../policy/nano-usd.ts'
import { amend, type BudgetSpan, costIn, type PoolBudget, take, UNSPENT } from '../../policy/pool-budget.ts'
import type { AdmittedRequest } from './completed-requests.ts'
import { DirtySet, type WriteBehind } from './dirty-set.ts'
import { put, remove, type Write } from './lmdb.ts'
import type { Records } from './records.ts'

// The budgets that many accounts share: of all guests by day, and of each pool by hour.

/**
 * The spend and holds of all guests together, by UTC day. All calls are synchronous, in memory. A hold that counts here is
 * marked `shared`; its day is the day of its admission. As with the counters of accounts, only the used amount is read
 * from disk: the held amount comes from the holds.
 */
export class GuestSpend implements WriteBehind {
  readonly #days = new Map<number, Spend>()
  readonly #dirty = new DirtySet<number>()

  constructor({ guestDays }: Pick<Records, 'guestDays'>) {
    for (const { key, value } of guestDays.getRange()) this.#days.set(key, { used: value.used, held: ZERO_USD })
  }

  /** The amount used and held on the day of a hold. */
  spentAndHeld(hold: Hold): NanoUsd {
    const { used, held } = this.#days.get(dayOfHold(hold)) ?? NO_SPEND
    return addNanoUsd(used, held)
  }

  /** Adds a request's hold. */
  take(hold: Hold): void {
    const day = dayOfHold(hold)
    if (!this.#days.has(day)) this.#begin(day)
    this.#add(hold, ZERO_USD, heldBy(hold))
  }

  /** Replaces a hold by its extension. The limit is not judged again: the next admission counts the cost. */
  extend({ hold, shared }: AdmittedRequest, extended: Hold): void {
    if (shared) this.#add(hold, ZERO_USD, subtractNanoUsd(heldBy(extended), heldBy(hold)))
  }

  /** Charges a hold, which was charged `was` before, and gives back the rest. */
  release({ hold, shared }: AdmittedRequest, { cost }: Charge, was: Charge): void {
    if (shared) this.#add(hold, subtractNanoUsd(cost, was.cost), nanoUsd(-heldBy(hold)))
  }

  /** Corrects the charge of a request whose hold has ended. */
  amend(hold: Hold, was: Charge, charge: Charge): void {
    this.#add(hold, subtractNanoUsd(charge.cost, was.cost), ZERO_USD)
  }

  writes({ guestDays }: Records): Write[] {
    return this.#dirty.begin(day => {
      const spend = this.#days.get(day)
      return spend ? put(guestDays, day, spend) : remove(guestDays, day)
    })
  }

  written(): void {
    this.#dirty.written()
  }

  failed(): void {
    this.#dirty.failed()
  }

  #add(hold: Hold, used: NanoUsd, held: NanoUsd): void {
    const day = dayOfHold(hold)
    const before = this.#days.get(day)
    // The day was dropped, because it is long over.
    if (!before) return
    this.#days.set(day, {
      used: nanoUsd(Math.max(0, before.used + used)),
      held: nanoUsd(Math.max(0, before.held + held)),
    })
    this.#dirty.add(day)
  }

  #begin(day: number): void {
    this.#days.set(day, NO_SPEND)
    const newestFirst = [...this.#days.keys()].sort((a, b) => b - a)
    for (const oldest of newestFirst.slice(DAYS_KEPT)) {
      this.#days.delete(oldest)
      this.#dirty.add(oldest)
    }
  }
}

const DAY_MS: Millis = 86_400_000

/** The time until the next UTC day begins. */
export const untilMidnight = (at: EpochMs): Millis => DAY_MS - (at % DAY_MS)

const dayOfHold = ({ at }: Hold): number => dayAt(at)
const heldBy = ({ spent, cost }: Hold): NanoUsd => addNanoUsd(spent.cost, cost)

/** So many newest days are kept. They are counted, because a clock that is ahead for one request must not make today old. */
const DAYS_KEPT = 8

/** Counts against the hourly budgets of pools, and the daily ones of mirrors. All calls are synchronous, in memory. */
export class PoolHours implements WriteBehind {
  readonly #hours = new Map<string, PoolBudget>()
  readonly #dirty = new DirtySet<string>()

  constructor({ allowances }: Pick<Records, 'allowances'>) {
    for (const { key, value } of allowances.getRange()) this.#hours.set(key, value)
  }

  /** Reserves an amount. The moment it was counted at; undefined, and nothing reserved, when it would pass the limit. */
  take({ pool, span, amount, limit }: PoolBudgetTake, at: EpochMs): EpochMs | undefined {
    const taken = take(this.#of(pool), { amount, limit }, at, span)
    if (taken) this.#put(pool, taken.budget)
    return taken?.at
  }

  amend({ pool, span, at: counted, difference }: PoolBudgetAmend, at: EpochMs): void {
    this.#put(pool, amend(this.#of(pool), { counted, difference }, at, span))
  }

  read(pool: string, at: EpochMs, span?: BudgetSpan): NanoUsd {
    return costIn(this.#of(pool), at, span)
  }

  writes({ allowances }: Records): Write[] {
    return this.#dirty.begin(pool => put(allowances, pool, this.#of(pool)))
  }

  written(): void {
    this.#dirty.written()
  }

  failed(): void {
    this.#dirty.failed()
  }

  #of(pool: string): PoolBudget {
    return this.#hours.get(pool) ?? UNSPENT
  }

  #put(pool: string, hour: PoolBudget): void {
    this.#hours.set(pool, hour)
    this.#dirty.add(pool)
  }
}
