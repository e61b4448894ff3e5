import { Slots } from '../../kit/slots.ts'

/**
 * Runs reports that read very many ledger rows: one at a time for each account, a bounded number overall, and once for
 * callers that ask for the same. Each process has its own.
 */
export class OneAtATime<Result> {
  /** The running work and then the waiting, by ledger, account and name. */
  readonly #ledgers = new WeakMap<object, Map<string, Map<string, Promise<Result>>>>()
  readonly #slots: Slots

  /** `atOnce` bounds all accounts together. */
  constructor(atOnce = Number.POSITIVE_INFINITY) {
    this.#slots = new Slots(atOnce)
  }

  /** Joins running work of the same name, or runs it after the account's earlier work. */
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

/** Slots for calls that may have to wait, by account. Each process has its own. */
export class Places {
  readonly #most: number
  readonly #ofAll: number
  #taken = 0
  readonly #ledgers = new WeakMap<object, Map<string, number>>()

  /** `most` for each account, and `ofAll` for all together. */
  constructor(most: number, ofAll: number) {
    this.#most = most
    this.#ofAll = ofAll
  }

  /** Takes a slot, and returns the function that frees it; otherwise who has none left. */
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
