import { type Database, type Key, open, type RootDatabase } from 'lmdb'
import { type KeyRecord, StoreUnavailable } from '../../gateway/store.ts'
import type { EpochMs } from '../../policy/config.ts'
import type { Standing } from '../../policy/standing.ts'
import type { Held } from './holds.ts'
import type { StoredRow } from './ledger.ts'
import { prepareSchema } from './schema.ts'
import type { Sums, TotalKey } from './totals.ts'

/** The files of the store: one LMDB environment. Reads are synchronous and see what was committed last. */
export interface Records {
  /** By the hash of the key. */
  readonly keys: Database<StoredKey, string>
  readonly accounts: Database<Account, string>
  /** Account ids by label. */
  readonly labels: Database<string, string>
  /** What they say of holds is that of the moment they were written, and not read back. */
  readonly standings: Database<Standing, string>
  /** Requests under way, by request id. */
  readonly holds: Database<Held, string>
  /** By request id, which is time-ordered, and `lateKey`. */
  readonly ledger: Database<StoredRow, string>
  /** Of every row there ever was. */
  readonly totals: Database<Sums, TotalKey>
  readonly meta: Database<number, 'schema' | 'minted'>
  /** Writes everything or nothing. Resolves when it is on disk; rejects with StoreUnavailable. */
  commit(writes: readonly Write[]): Promise<void>
  /** Runs `change` alone, reading and writing in one transaction. Resolves when it is on disk. */
  transact<T>(change: () => T): Promise<T>
  close(): Promise<void>
}

/** One record to put or remove; made with `put`, so that the value fits its database. */
export type Write = () => Promise<boolean>

export interface StoredKey extends Pick<KeyRecord, 'keyPrefix' | 'account' | 'status' | 'createdAt'> {
  /** Counts every key ever minted, so that listings have an order when the clock stands still. */
  readonly number: number
}

export interface Account {
  readonly label: string
  readonly plan: string
  /** Hash of its active key. */
  readonly activeKey: string | null
  readonly createdAt: EpochMs
}

export const put =
  <V, K extends Key>(database: Database<V, K>, key: K, value: V): Write =>
  () =>
    database.put(key, value)

export const remove =
  <V>(database: Database<V, string>, key: string): Write =>
  () =>
    database.remove(key)

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
  })
  const records: Records = {
    keys: root.openDB({ name: 'keys' }),
    accounts: root.openDB({ name: 'accounts' }),
    labels: root.openDB({ name: 'labels' }),
    standings: root.openDB({ name: 'standings' }),
    holds: root.openDB({ name: 'holds' }),
    ledger: root.openDB({ name: 'ledger' }),
    totals: root.openDB({ name: 'totals' }),
    meta: root.openDB({ name: 'meta' }),
    commit: writes => commit(root, writes),
    transact: change => onDisk(root.transaction(change)),
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
  const written: Promise<boolean>[] = []
  const batch = root.batch(() => {
    for (const write of writes) written.push(write())
  })
  // The writes too: when a batch fails, lmdb rejects one of them beside the batch.
  await onDisk(Promise.all([batch, ...written]))
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
