import type { EpochMs, Millis } from '../../policy/config.ts'
import { addNanoUsd, type NanoUsd, nanoUsd, subtractNanoUsd, ZERO_USD } from '../../policy/nano-usd.ts'
import { type Charge, dayAt, type Hold, NO_SPEND, type Spend } from '../../policy/standing.ts'
import type { Taken } from './ended.ts'
import { put, remove, type Write } from './lmdb.ts'
import type { Records } from './records.ts'
import { type Kept, Unwritten } from './unwritten.ts'

/** The newest days are kept, by count: a clock that is ahead for one request must not make today old. */
const DAYS_KEPT = 8

/**
 * What all guests spent and hold, by UTC day: in memory, and all of it is synchronous. A hold that took its part is
 * marked `shared`; its day is that of its admission. As with standings, the disk is asked for what was used only:
 * what is held comes from the holds.
 */
export class GuestDays implements Kept {
  readonly #days = new Map<number, Spend>()
  readonly #unwritten = new Unwritten<number>()

  constructor({ guestDays }: Pick<Records, 'guestDays'>) {
    for (const { key, value } of guestDays.getRange()) this.#days.set(key, { used: value.used, held: ZERO_USD })
  }

  /** Used and held on the day of a hold. */
  taken(hold: Hold): NanoUsd {
    const { used, held } = this.#days.get(dayOfHold(hold)) ?? NO_SPEND
    return addNanoUsd(used, held)
  }

  /** Takes what a request holds. */
  take(hold: Hold): void {
    const day = dayOfHold(hold)
    if (!this.#days.has(day)) this.#begin(day)
    this.#add(hold, ZERO_USD, heldBy(hold))
  }

  /** A hold goes on as another one. The limit is not asked again: what it costs is known to the next admission. */
  extend({ hold, shared }: Taken, extended: Hold): void {
    if (shared) this.#add(hold, ZERO_USD, subtractNanoUsd(heldBy(extended), heldBy(hold)))
  }

  /** Gives back what was held and not charged. */
  release({ hold, shared }: Taken, { cost }: Charge): void {
    if (shared) this.#add(hold, cost, nanoUsd(-heldBy(hold)))
  }

  /** Of a request that holds nothing any more. */
  amend(hold: Hold, was: Charge, charge: Charge): void {
    this.#add(hold, subtractNanoUsd(charge.cost, was.cost), ZERO_USD)
  }

  writes({ guestDays }: Records): Write[] {
    return this.#unwritten.begin(day => {
      const spend = this.#days.get(day)
      return spend ? put(guestDays, day, spend) : remove(guestDays, day)
    })
  }

  written(): void {
    this.#unwritten.written()
  }

  failed(): void {
    this.#unwritten.failed()
  }

  #add(hold: Hold, used: NanoUsd, held: NanoUsd): void {
    const day = dayOfHold(hold)
    const before = this.#days.get(day)
    // Forgotten, because it is long over.
    if (!before) return
    this.#days.set(day, {
      used: nanoUsd(Math.max(0, before.used + used)),
      held: nanoUsd(Math.max(0, before.held + held)),
    })
    this.#unwritten.add(day)
  }

  #begin(day: number): void {
    this.#days.set(day, NO_SPEND)
    const newestFirst = [...this.#days.keys()].sort((a, b) => b - a)
    for (const oldest of newestFirst.slice(DAYS_KEPT)) {
      this.#days.delete(oldest)
      this.#unwritten.add(oldest)
    }
  }
}

const DAY_MS: Millis = 86_400_000

/** Until the next UTC day begins. */
export const untilMidnight = (at: EpochMs): Millis => DAY_MS - (at % DAY_MS)

const dayOfHold = ({ at }: Hold): number => dayAt(at)
const heldBy = ({ spent, cost }: Hold): NanoUsd => addNanoUsd(spent.cost, cost)
