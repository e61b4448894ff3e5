import { Slots } from '../../kit/slots.ts'

/**
 * Work of accounts that reads very many rows of a ledger: one at a time of each account, a bounded number of all, and once for
 * those who ask for the same at once. Each process has its own.
 */
export class OneAtATime<Result> {
  /** The work that runs or waits, in this order, by ledger, account and name. */
  readonly #ledgers = new WeakMap<object, Map<string, Map<string, Promise<Result>>>>()
  readonly #slots: Slots

  /** `atOnce` of all accounts together. */
  constructor(atOnce = Number.POSITIVE_INFINITY) {
    this.#slots = new Slots(atOnce)
  }

  /** Joins the work of this name, or does it once that of the account before it is over. */
  do(ledger: object, account: string, name: string, work: () => Promise<Result>): Promise<Result> {
    const accounts = this.#ledgers.get(ledger) ?? new Map<string, Map<string, Promise<Result>>>()
    this.#ledgers.set(ledger, accounts)
    const works = accounts.get(account) ?? new Map<string, Promise<Result>>()
    accounts.set(account, works)
    const known = works.get(name)
    if (known) return known
    const before = [...works.values()].at(-1)
    const done = Promise.allSettled([before])
      .then(async () => {
        const leave = await this.#slots.take()
        return work().finally(leave)
      })
      .finally(() => {
        works.delete(name)
        if (works.size === 0) accounts.delete(account)
      })
    works.set(name, done)
    return done
  }
}

/** Places of accounts for calls that may have to wait. Each process has its own. */
export class Places {
  readonly #most: number
  readonly #ofAll: number
  #taken = 0
  readonly #ledgers = new WeakMap<object, Map<string, number>>()

  /** `most` for each account, and so many for all. */
  constructor(most: number, ofAll: number) {
    this.#most = most
    this.#ofAll = ofAll
  }

  /** Takes a place, to be called when it is free again; else who has none left. */
  take(ledger: object, account: string): (() => void) | 'account' | 'process' {
    const taken = this.#ledgers.get(ledger) ?? new Map<string, number>()
    this.#ledgers.set(ledger, taken)
    const before = taken.get(account) ?? 0
    if (before >= this.#most) return 'account'
    if (this.#taken >= this.#ofAll) return 'process'
    this.#taken++
    taken.set(account, before + 1)
    return () => {
      this.#taken--
      const left = (taken.get(account) ?? 0) - 1
      if (left > 0) taken.set(account, left)
      else taken.delete(account)
    }
  }
}
