import { KEYS_KEPT } from '../../gateway/accounts/account-store.ts'
import type { EpochMs } from '../../policy/config.ts'
import { unpackRow } from './packed.ts'
import { pagesOf } from './pages.ts'
import type { Records, StoredAccount } from './records.ts'
import { Tally, type TotalKey, totalKey } from './totals.ts'

/** 2 has holds and totals, 3 has terms and the keys of an account, 4 may have packed rows and standings. */
const SCHEMA = 4
/** Records in one commit. */
const PAGE = 1000

/** Brings the files to the schema of this version. Throws when a newer version wrote them. */
export async function prepareSchema(records: Records, path: string): Promise<void> {
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

/** Writes the totals of all rows as they are, whatever was there: it may be cut short, and done again. */
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

/** The plan of an account becomes the operator's choice, and its keys are listed, newest first. Those that are done stay. */
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
