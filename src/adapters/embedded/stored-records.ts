import type { Database } from 'lmdb'
import type { AccountRecord } from '../../gateway/store/account-store.ts'
import type { OrgRecord } from '../../gateway/store/org-store.ts'
import type { KeyState } from '../../gateway/store/store-record.ts'
import type { EpochMs } from '../../policy/config.ts'
import type { StoredTerms } from '../../policy/facts.ts'

/** A key as it lies in the files. Older gateways wrote neither an id nor what is not in all keys. */
export type StoredKey = Omit<KeyState, 'hash' | 'lastUsedAt'>

export interface Account extends Omit<AccountRecord, 'account'> {
  /** Hash of its first key, the one without a name, until that is revoked. */
  readonly activeKey: string | null
  /** Hashes, newest first: those that work, and at most KEYS_KEPT that ended. */
  readonly keys: readonly string[]
  /** When the token was issued that its claims were taken from. */
  readonly believedAt?: EpochMs
}

/** An org as it lies in the files, by its name. */
export type StoredOrg = Omit<OrgRecord, 'org'>

/** An account as it lies in the files. */
export interface StoredAccount extends Omit<Account, 'terms'> {
  readonly terms: StoredTerms
}

/** What `RecordWriter` alone may write, but for clearing all of it. */
export type ReadOnly<V> = Pick<
  Database<V, string>,
  'get' | 'getRange' | 'getKeys' | 'getKeysCount' | 'doesExist' | 'clearSync'
>
