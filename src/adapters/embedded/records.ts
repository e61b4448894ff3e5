import { type Database, type Key, open, type RootDatabase } from 'lmdb'
import type { AccountRecord, AuditRow, KeyRecord } from '../../gateway/accounts/account-store.ts'
import { StoreUnavailable } from '../../gateway/store.ts'
import type { Allowance } from '../../policy/allowance.ts'
import type { EpochMs } from '../../policy/config.ts'
import { type StoredTerms, storedTerms, termsOfStored } from '../../policy/facts.ts'
import type { Spend, Standing } from '../../policy/standing.ts'
import type { Held } from './holds.ts'
import { Known } from './known.ts'
import type { StoredRow } from './ledger.ts'
import type { PackedRow, PackedStanding } from './packed.ts'
import { prepareSchema } from './schema.ts'
import type { Sums, TotalKey, WasteKey } from './totals.ts'

/** The files of the store: one LMDB environment. Reads are synchronous and see what was committed last. */
export interface Records {
  /** By the hash of the key. */
  readonly keys: Database<StoredKey, string>
  readonly accounts: Database<StoredAccount, string>
  /** Ids of the accounts that an operator opened, by label. */
  readonly labels: Database<string, string>
  /** The accounts with a label of their sign-in; the value says nothing. */
  readonly signInLabels: Database<true, LabelKey>
  /** Control changes by their number, which counts them. */
  readonly audit: Database<AuditRow, number>
  /** What they say of holds is that of the moment they were written, and not read back. */
  readonly standings: Database<PackedStanding | Standing, string>
  /** Requests under way, by request id. */
  readonly holds: Database<Held, string>
  /** By request id, which is time-ordered, `lateKey` and `wasteKey`. */
  readonly ledger: Database<PackedRow | StoredRow, string>
  /** Of every row there ever was, but those of waste. */
  readonly totals: Database<Sums, TotalKey>
  /** Of every row of waste there ever was; each is a request. */
  readonly waste: Database<Sums, WasteKey>
  /** What counts against the hour of a pool, by its name. */
  readonly allowances: Database<Allowance, string>
  /** What all guests spent, by UTC day; what it says of holds is not read back, as in standings. */
  readonly guestDays: Database<Spend, number>
  readonly meta: Database<number, 'schema' | 'minted' | 'audited' | 'proved'>
  /** Keys and accounts for the way of a request. */
  readonly known: Known
  /** Writes everything or nothing. Resolves when it is on disk; rejects with StoreUnavailable. */
  commit(writes: readonly Write[]): Promise<void>
  /** Runs `change` alone, reading and writing in one transaction. Resolves when it is on disk. */
  transact<T>(change: () => T): Promise<T>
  close(): Promise<void>
}

/** One record to put or remove; made with `put`, so that the value fits its database. */
export type Write = () => void

export interface StoredKey extends Pick<KeyRecord, 'keyPrefix' | 'account' | 'status' | 'createdAt'> {
  /** Counts every key ever minted, so that listings have an order when the clock stands still. */
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

export const put =
  <V, K extends Key>(database: Database<V, K>, key: K, value: V): Write =>
  () => {
    database.put(key, value)
  }

export const remove =
  <V, K extends Key>(database: Database<V, K>, key: K): Write =>
  () => {
    database.remove(key)
  }

/** Opens or creates the files in a directory. Throws when a newer version wrote them. */
export async function openRecords(path: string): Promise<Records> {
  const root = open({
    path,
    // lmdb takes a path with a dot in its last part for a file.
    noSubdir: false,
    // A write resolves after its fsync, not before. Commits are shared, so that this costs nothing.
    overlappingSync: false,
    // Batches are made by hand. lmdb's own leave a promise that nobody holds: on a full disk its rejection ends the process.
    eventTurnBatching: false,
    maxDbs: 32,
  })
  const keys = root.openDB<StoredKey, string>({ name: 'keys' })
  const accounts = root.openDB<StoredAccount, string>({ name: 'accounts' })
  const known = new Known({ keys, accounts })
  const records: Records = {
    keys,
    accounts,
    known,
    labels: root.openDB({ name: 'labels' }),
    signInLabels: root.openDB({ name: 'signInLabels' }),
    audit: root.openDB({ name: 'audit' }),
    standings: root.openDB({ name: 'standings' }),
    holds: root.openDB({ name: 'holds' }),
    ledger: root.openDB({ name: 'ledger' }),
    totals: root.openDB({ name: 'totals' }),
    waste: root.openDB({ name: 'waste' }),
    allowances: root.openDB({ name: 'allowances' }),
    guestDays: root.openDB({ name: 'guestDays' }),
    meta: root.openDB({ name: 'meta' }),
    commit: writes => commit(root, writes),
    transact: change => known.during(() => onDisk(root.transaction(change))),
    close: () => root.close(),
  }
  try {
    await prepareSchema(records, path)
    return records
  } catch (error) {
    await root.close()
    throw error
  }
}

async function commit(root: RootDatabase, writes: readonly Write[]): Promise<void> {
  // Within a batch each write returns a promise that is kept already; it is the batch that fails.
  await onDisk(
    root.batch(() => {
      for (const write of writes) write()
    }),
  )
}

async function onDisk<T>(written: Promise<T>): Promise<T> {
  try {
    return await written
  } catch (error) {
    throw new StoreUnavailable('the store could not be written', { cause: await causeOf(error) })
  }
}

/** lmdb tells the reason by a second promise, whose rejection would end the process if nobody took it. */
async function causeOf(error: unknown): Promise<unknown> {
  if (!(error instanceof Error) || !('commitError' in error)) return error
  try {
    await error.commitError
    return error
  } catch (reason) {
    return reason
  }
}
