import { open, type RootDatabase } from 'lmdb'
import { KEYS_KEPT } from '../../gateway/store/key-store.ts'
import { StoreUnavailable } from '../../gateway/store/store.ts'
import type { EpochMs } from '../../policy/config.ts'
import { unpackRow } from './ledger-rows.ts'
import { pagesOf, type Write } from './lmdb.ts'
import { ReadCache, type Records, type StoredAccount, type StoredKey } from './records.ts'
import { Tally, type TotalKey, totalKey } from './totals.ts'

/** Opens or creates the files in a directory. Throws when a newer version wrote them. */
export async function openRecords(path: string): Promise<Records> {
  const root = open({
    path,
    // lmdb takes a path with a dot in its last part for a file.
    noSubdir: false,
    // A write resolves after its fsync, not before. Commits are shared, so that this costs nothing.
    overlappingSync: false,
    // Batches are made by hand. lmdb's own leave a promise without a handler: on a full disk its rejection ends the process.
    eventTurnBatching: false,
    maxDbs: 32,
  })
  const keys = root.openDB<StoredKey, string>({ name: 'keys' })
  const accounts = root.openDB<StoredAccount, string>({ name: 'accounts' })
  const cache = new ReadCache({ keys, accounts })
  const records: Records = {
    keys,
    accounts,
    cache,
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
    transact: change => cache.during(() => onDisk(root.transaction(change))),
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
  // The promise of each write is handled within the batch; it is the batch that rejects.
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

/** The cause of a failed commit, which lmdb gives by a second promise. Without a handler its rejection would end the process. */
async function causeOf(error: unknown): Promise<unknown> {
  if (!(error instanceof Error) || !('commitError' in error)) return error
  try {
    await error.commitError
    return error
  } catch (reason) {
    return reason
  }
}

/** Brings the files to the schema of this version. Throws when a newer version wrote them. */
async function prepareSchema(records: Records, path: string): Promise<void> {
  const { meta, transact } = records
  const schema = meta.get('schema') ?? SCHEMA
  if (schema > SCHEMA)
    throw new Error(
      `the store in ${path} has schema ${schema}, which a newer version wrote; this one reads up to ${SCHEMA}`,
    )
  if (schema < 2) await totalRows(records)
  if (schema < 3) await transact(() => termAccounts(records))
  if (meta.get('schema') !== SCHEMA) await transact(() => meta.put('schema', SCHEMA))
}

/** Writes the totals of all rows, and replaces any that are there: it may be interrupted, and repeated. */
async function totalRows(records: Records): Promise<void> {
  const tally = new Tally<TotalKey>()
  for await (const rows of pagesOf(records.ledger)) {
    for (const { value } of rows) {
      const row = unpackRow(value)
      tally.add(totalKey(row), row, 1)
    }
  }
  const writes = tally.writes(records.totals, () => undefined)
  for (let from = 0; from < writes.length; from += PAGE) await records.commit(writes.slice(from, from + PAGE))
}

/** An account of schema 2, which an operator had opened. */
interface PlanAccount {
  readonly label: string
  readonly plan: string
  readonly activeKey: string | null
  readonly createdAt: EpochMs
}

/** The plan of an account becomes the operator's choice, and its keys are listed, newest first. Accounts that have terms stay as they are. */
function termAccounts({ accounts, keys }: Records): void {
  const numbered = new Map<string, { hash: string; number: number }[]>()
  for (const { key, value } of keys.getRange()) {
    const { account, number } = value
    numbered.set(account, [...(numbered.get(account) ?? []), { hash: key, number }])
  }
  for (const { key: id, value } of [...accounts.getRange()] as { key: string; value: StoredAccount | PlanAccount }[]) {
    if (!('plan' in value)) continue
    const { label, plan, activeKey, createdAt } = value
    const hashes = (numbered.get(id) ?? []).sort((a, b) => b.number - a.number).map(({ hash }) => hash)
    const kept = hashes.slice(0, KEYS_KEPT + (activeKey === null ? 0 : 1))
    accounts.put(id, { kind: 'developer', label, terms: { override: plan }, activeKey, keys: kept, createdAt })
  }
}

/** Schema 2 has holds and totals, 3 has terms and the keys of an account, 4 may have packed rows and counters. */
const SCHEMA = 4
/** Records in one commit. */
const PAGE = 1000
