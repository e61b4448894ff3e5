import type { Database } from 'lmdb'
import type { AccountRecord, AuditRow } from '../../gateway/store/account-store.ts'
import type { KeyRecord } from '../../gateway/store/key-store.ts'
import type { Spend } from '../../policy/account-counters.ts'
import type { Allowance } from '../../policy/allowance.ts'
import type { EpochMs } from '../../policy/config.ts'
import { type StoredTerms, storedTerms, termsOfStored } from '../../policy/facts.ts'
import type { PackedCounters, UnpackedCounters } from './account-counters.ts'
import type { StoredHold } from './holds.ts'
import type { PackedRow, StoredRow } from './ledger-rows.ts'
import type { Write } from './lmdb.ts'
import type { TotalKey, TotalSums, WasteKey } from './totals.ts'

/** The files of the store: one LMDB environment. Reads are synchronous and see the last commit. */
export interface Records {
  /** By the hash of the key. */
  readonly keys: Database<StoredKey, string>
  readonly accounts: Database<StoredAccount, string>
  /** Ids of the accounts that an operator opened, by label. */
  readonly labels: Database<string, string>
  /** The accounts with a label of their sign-in; the value has no meaning. */
  readonly signInLabels: Database<true, LabelKey>
  /** Audit rows by their number, which counts them. */
  readonly audit: Database<AuditRow, number>
  /** Counters of accounts. Their held amounts are those of the moment of the write, and are not read back. */
  readonly standings: Database<PackedCounters | UnpackedCounters, string>
  /** Requests under way, by request id. */
  readonly holds: Database<StoredHold, string>
  /** By request id, which is time-ordered, `lateKey` and `wasteKey`. */
  readonly ledger: Database<PackedRow | StoredRow, string>
  /** Totals of every row there ever was, but for waste. */
  readonly totals: Database<TotalSums, TotalKey>
  /** Totals of every waste row there ever was; each attempt counts as a request. */
  readonly waste: Database<TotalSums, WasteKey>
  /** What counts against the hour of a pool, by its name. */
  readonly allowances: Database<Allowance, string>
  /** The spend of all guests by UTC day; held amounts are not read back, as with the counters. */
  readonly guestDays: Database<Spend, number>
  readonly meta: Database<number, 'schema' | 'minted' | 'audited' | 'proved'>
  /** Keys and accounts as requests look them up. */
  readonly cache: ReadCache
  /** Writes everything or nothing. Resolves when it is on disk; rejects with StoreUnavailable. */
  commit(writes: readonly Write[]): Promise<void>
  /** Runs `change` alone, reading and writing in one transaction. Resolves when it is on disk. */
  transact<T>(change: () => T): Promise<T>
  close(): Promise<void>
}

export interface StoredKey extends Pick<KeyRecord, 'keyPrefix' | 'account' | 'status' | 'createdAt'> {
  /** Counts every key ever minted, so that listings have an order even where the clock does not advance. */
  readonly number: number
}

export interface Account extends Omit<AccountRecord, 'account'> {
  /** Hash of its active key. */
  readonly activeKey: string | null
  /** Hashes, newest first: the active one and at most KEYS_KEPT that ended. */
  readonly keys: readonly string[]
  /** When the token was issued that its claims were taken from. */
  readonly believedAt?: EpochMs
}

/** An account as it lies in the files. */
export interface StoredAccount extends Omit<Account, 'terms'> {
  readonly terms: StoredTerms
}

export function readAccount({ accounts }: Pick<Records, 'accounts'>, id: string): Account | undefined {
  const stored = accounts.get(id)
  return stored && accountOf(stored)
}

export const accountOf = (stored: StoredAccount): Account => ({ ...stored, terms: termsOfStored(stored.terms) })

/** Only within a transaction. */
export function writeAccount({ accounts }: Pick<Records, 'accounts'>, id: string, account: Account): void {
  accounts.put(id, { ...account, terms: storedTerms(account.terms) })
}

export type LabelKey = [label: string, account: string]

/**
 * Keys and accounts as requests look them up, each read from the files once. Only transactions change them: while one is
 * open nothing is cached, and after it the cache is empty.
 */
export class ReadCache {
  readonly #files: Pick<Records, 'keys' | 'accounts'>
  readonly #keys = new Map<string, StoredKey>()
  readonly #accounts = new Map<string, Account>()
  #open = 0

  constructor(files: Pick<Records, 'keys' | 'accounts'>) {
    this.#files = files
  }

  /** By its hash. */
  key(hash: string): StoredKey | undefined {
    return this.#keys.get(hash) ?? this.#remember(this.#keys, hash, this.#files.keys.get(hash))
  }

  account(id: string): Account | undefined {
    return this.#accounts.get(id) ?? this.#remember(this.#accounts, id, readAccount(this.#files, id))
  }

  /** Runs a transaction that may change keys and accounts. */
  async during<T>(change: () => Promise<T>): Promise<T> {
    this.#open++
    this.#forget()
    try {
      return await change()
    } finally {
      this.#open--
      this.#forget()
    }
  }

  #remember<V>(known: Map<string, V>, name: string, value: V | undefined): V | undefined {
    // Unknown names are not cached: clients can make up any number of them.
    if (value === undefined || this.#open > 0) return value
    if (known.size >= MOST) known.clear()
    known.set(name, value)
    return value
  }

  #forget(): void {
    this.#keys.clear()
    this.#accounts.clear()
  }
}

/** How many keys, and how many accounts, are remembered; then all are forgotten. */
const MOST = 10_000
