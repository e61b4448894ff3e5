import type { Database } from 'lmdb'
import type { Terms } from '../../policy/facts.ts'
import type { AccountState, OrgRecord } from '../../records/account.ts'
import type { KeyState } from '../../records/key.ts'

/** A key as it lies in the files. Older gateways wrote neither an id nor what is not in all keys. */
export type StoredKey = Omit<KeyState, 'hash' | 'lastUsedAt'>

export interface Account extends Omit<StoredAccount, 'terms'> {
  readonly terms: Terms
}

/** An org as it lies in the files, by its name. */
export type StoredOrg = Omit<OrgRecord, 'org'>

/** An account as it lies in the files, by its id. */
export type StoredAccount = Omit<AccountState, 'account'>

/** A table that only `RecordWriter` writes; others may clear it whole. */
export type ReadOnly<V> = Pick<
  Database<V, string>,
  'get' | 'getRange' | 'getKeys' | 'getKeysCount' | 'doesExist' | 'clearSync'
>
