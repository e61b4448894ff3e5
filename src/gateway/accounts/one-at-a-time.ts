/**
 * Work of accounts that reads very many rows of a ledger: one at a time of each account, and once for all who ask for the same
 * at once. Each process has its own.
 */
export class OneAtATime<Result> {
  /** The work that runs or waits, in this order, by ledger, account and name. */
  readonly #ledgers = new WeakMap<object, Map<string, Map<string, Promise<Result>>>>()

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
      .then(work)
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
  readonly #ledgers = new WeakMap<object, Map<string, number>>()

  /** `most` for each account. */
  constructor(most: number) {
    this.#most = most
  }

  /** Takes a place, to be called back when it is free again. Undefined where there is none. */
  take(ledger: object, account: string): (() => void) | undefined {
    const taken = this.#ledgers.get(ledger) ?? new Map<string, number>()
    this.#ledgers.set(ledger, taken)
    const before = taken.get(account) ?? 0
    if (before >= this.#most) return undefined
    taken.set(account, before + 1)
    return () => {
      const left = (taken.get(account) ?? 0) - 1
      if (left > 0) taken.set(account, left)
      else taken.delete(account)
    }
  }
}
