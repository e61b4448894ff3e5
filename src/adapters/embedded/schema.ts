import type { Database } from 'lmdb'
import { NEWEST_STEP, type SchemaStep, stepOfAccount, stepOfKey, stepOfOrg } from '../../gateway/restrictions.ts'
import { KEYS_KEPT } from '../../gateway/store/key-store.ts'
import type { TotalSums } from '../../gateway/store/total-sums.ts'
import type { EpochMs } from '../../policy/config.ts'
import type { CommitSize } from './disk/page-bound.ts'
import { type PackedRow, type StoredRow, Tally, type TotalKey, totalKey, unpackRow } from './ledger-rows.ts'
import { pagesOf, type Write } from './lmdb.ts'
import { FIRST_SCHEMA, type RecordWriter } from './record-writer.ts'
import type { ReadOnly, StoredAccount, StoredKey, StoredOrg } from './stored-records.ts'

/** The files, as they are brought to another schema. */
interface Files {
  readonly keys: ReadOnly<StoredKey>
  readonly accounts: ReadOnly<StoredAccount>
  readonly orgs: ReadOnly<StoredOrg>
  readonly write: RecordWriter
  readonly ledger: Pick<Database<PackedRow | StoredRow, string>, 'getRange'>
  readonly totals: Database<TotalSums, TotalKey>
  readonly meta: Pick<Database<number, 'schema' | 'searched'>, 'get' | 'put'>
  commit(writes: readonly Write[]): Promise<void>
  transact<T>(change: () => T, size?: CommitSize): Promise<T>
}

/** Brings the files to the schema of this version. Throws, and changes nothing, when a newer version wrote them. */
export async function prepareSchema(records: Files, path: string): Promise<void> {
  const { meta, transact } = records
  const found = meta.get('schema')
  const schema = found ?? FIRST_SCHEMA
  if (schema > READ_UP_TO)
    throw new Error(
      `the store in ${path} has schema ${schema}, which a newer version wrote; this one reads up to ${READ_UP_TO}`,
    )
  if (schema < 2) await totalRows(records)
  if (schema < 3) await transact(() => termAccounts(records), { records: records.accounts.getKeysCount() })
  if (found === undefined || found < FIRST_SCHEMA) await transact(() => meta.put('schema', FIRST_SCHEMA))
  if (meta.get('searched') === undefined) await raiseToContent(records)
}

const READ_UP_TO = FIRST_SCHEMA + NEWEST_STEP

/** Raises the schema to what the store holds. Only builds before the first release of `RecordWriter` wrote restrictions without that, so once is enough. */
async function raiseToContent(records: Files): Promise<void> {
  const step = await stepIn(records)
  await records.transact(() => {
    records.write.raise(step)
    records.meta.put('searched', 1)
  })
}

async function stepIn({ keys, accounts, orgs }: Files): Promise<SchemaStep> {
  const searches = [
    [keys, stepOfKey],
    [accounts, stepOfAccount],
    [orgs, stepOfOrg],
  ] as const
  let most: SchemaStep = 0
  for (const [database, stepOf] of searches)
    for await (const page of pagesOf<object, string>(database))
      for (const { value } of page) {
        const step = stepOf(value)
        if (step > most) most = step
        if (most === NEWEST_STEP) return most
      }
  return most
}

/** Writes the totals of all rows, and replaces any that are there: it may be interrupted, and repeated. */
async function totalRows(records: Files): Promise<void> {
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

/** Records in one commit. */
const PAGE = 1000

/** An account of schema 2, which an operator had opened. */
interface PlanAccount {
  readonly label: string
  readonly plan: string
  readonly activeKey: string | null
  readonly createdAt: EpochMs
}

/** The plan of an account becomes the operator's choice, and its keys are listed, newest first. Accounts that have terms stay as they are. */
function termAccounts({ accounts, keys, write }: Files): void {
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
    write.account(id, { kind: 'developer', label, terms: { override: plan }, activeKey, keys: kept, createdAt })
  }
}
