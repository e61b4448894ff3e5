import { counted } from '../../config/format/problem-text.ts'
import { movePlans } from '../../gateway/accounts/plans.ts'
import type { Alarm } from '../../gateway/ports.ts'
import type { AccountStore } from '../../gateway/store/account-store.ts'
import type { MovedPlan } from '../../http/changes.ts'
import type { Config } from '../../policy/config.ts'

interface Moving {
  readonly accounts: Pick<AccountStore, 'readAll' | 'changeTerms'>
  readonly alarm: Alarm
  /** Plans that accounts go to, by those that they are on. */
  readonly moves: ReadonlyMap<string, string>
  readonly by: string
  readonly before: Config
  readonly after: Config
}

/** Accounts that go from plan to plan while the files change, so that none is without a plan longer than it must be. */
export class Moves {
  readonly #moving: Moving
  readonly #moved = new Map<string, number>()

  constructor(moving: Moving) {
    this.#moving = moving
  }

  /** Moves those whose next plan serves already. Rejects when the store does not answer. */
  before(): Promise<void> {
    return this.#move((_, to) => this.#moving.before.plans.has(to))
  }

  /** Moves the other accounts, and those that came meanwhile to a plan that is gone. An alarm reports a store that does not answer. */
  async after(): Promise<void> {
    const { before, after, alarm } = this.#moving
    await this.#move((from, to) => !before.plans.has(to) || !after.plans.has(from)).catch(error =>
      alarm('accounts are still on plans that are gone', { error: String(error) }),
    )
  }

  /** The accounts that have moved already, for the message that the candidate does not serve after all. */
  said(): string {
    const count = [...this.#moved.values()].reduce((sum, accounts) => sum + accounts, 0)
    return count === 0 ? '' : `; ${counted(count, 'account')} went to the next plan already`
  }

  moved(): readonly MovedPlan[] {
    return [...this.#moving.moves].map(([from, to]) => ({ from, to, accounts: this.#moved.get(from) ?? 0 }))
  }

  async #move(isNow: (from: string, to: string) => boolean): Promise<void> {
    const { accounts, moves, by } = this.#moving
    const now = new Map([...moves].filter(([from, to]) => isNow(from, to)))
    for (const [from, count] of await movePlans(accounts, now, by))
      this.#moved.set(from, (this.#moved.get(from) ?? 0) + count)
  }
}
