import { setImmediate } from 'node:timers/promises'
import type { AccountRecord, AccountStore } from '../store/account-store.ts'

/** An operator's query for accounts. */
export interface FindQuery {
  /** A part of the label or the id, in whatever case. */
  readonly text: string
  /** The maximum. */
  readonly limit: number
  /** How many accounts are examined one by one. */
  readonly budget: number
}

export interface FoundAccounts {
  readonly records: readonly AccountRecord[]
  /** Whether others may have it too, which were not looked at. */
  readonly isPartial: boolean
}

/**
 * Accounts with a text in their label or id, but devices: those whose label begins with it first, where the store has the order of
 * labels, then those that are found among the first ones of the store. `listAccounts` finds all of them, and takes longer.
 */
export async function findAccounts(accounts: Scans, query: FindQuery): Promise<FoundAccounts> {
  const found = new Map<string, AccountRecord>()
  const foundWith = (isPartial: boolean) => ({ records: [...found.values()], isPartial })
  for (const candidates of [beginning(accounts, query), containing(accounts, query)])
    for await (const record of candidates) {
      if (!record) return foundWith(true)
      if (!found.has(record.account) && found.size >= query.limit) return foundWith(true)
      found.set(record.account, record)
    }
  return foundWith(false)
}

type Scans = Pick<AccountStore, 'scan' | 'scanOrders'>

/** Those whose label begins so, in the order of labels; none where the store does not have it. */
async function* beginning(accounts: Scans, { text }: FindQuery): Candidates {
  if (!accounts.scanOrders.includes('label')) return
  for await (const page of accounts.scan({ order: 'label', after: { rank: text, account: '' } }))
    for (const record of page) {
      if (!record.label.startsWith(text)) return
      yield record
    }
}

/** Undefined once the budget is used up. */
async function* containing(accounts: Scans, { text, budget }: FindQuery): Candidates {
  const part = text.toLowerCase()
  let looked = 0
  for await (const page of accounts.scan()) {
    for (const record of page) {
      if (looked++ >= budget) return yield undefined
      const { kind, label, account } = record
      if (kind !== 'guest' && [label, account].some(each => each.toLowerCase().includes(part))) yield record
    }
    await setImmediate()
  }
}

type Candidates = AsyncGenerator<AccountRecord | undefined, void, undefined>
