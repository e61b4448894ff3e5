import type { AccountRecord, KeyRecord, Mint, Minted } from '../../gateway/store.ts'
import type { EpochMs } from '../../policy/config.ts'
import type { Account, Records, StoredKey } from './records.ts'

/** The key behind a hash, if it is active. */
export function activeKey(records: Records, hash: string): KeyRecord | undefined {
  const key = records.keys.get(hash)
  return key?.status === 'active' ? keyRecord(records, hash, key) : undefined
}

/** In one transaction, so that of many mints for one label a single one finds no active key. */
export function mintKey(records: Records, mint: Mint, now: EpochMs): Promise<Minted> {
  return records.transact(() => {
    const id = records.labels.get(mint.label) ?? mint.newAccount
    const account = records.accounts.get(id)
    const active = account?.activeKey ? activeKey(records, account.activeKey) : undefined
    if (active) return { outcome: 'exists', key: active }
    return { outcome: 'minted', key: writeKey(records, mint, id, account?.createdAt ?? now, now) }
  })
}

/** The plan asked for becomes the account's, also where it had another one: the operator said so last. */
function writeKey(records: Records, mint: Mint, id: string, since: EpochMs, now: EpochMs): KeyRecord {
  const { keyHash, keyPrefix, label, plan } = mint
  const account: Account = { label, plan, activeKey: keyHash, createdAt: since }
  const number = (records.meta.get('minted') ?? 0) + 1
  const key: StoredKey = { keyPrefix, account: id, status: 'active', createdAt: now, number }
  records.meta.put('minted', number)
  records.labels.put(label, id)
  records.accounts.put(id, account)
  records.keys.put(keyHash, key)
  return keyRecord(records, keyHash, key)
}

/** Undefined, and nothing written, when no active key has the hash. */
export function revokeKey(records: Records, hash: string): Promise<KeyRecord | undefined> {
  return records.transact(() => {
    const key = records.keys.get(hash)
    if (key?.status !== 'active') return undefined
    const revoked: StoredKey = { ...key, status: 'revoked' }
    records.keys.put(hash, revoked)
    records.accounts.put(key.account, { ...accountOf(records, key), activeKey: null })
    return keyRecord(records, hash, revoked)
  })
}

/** Every key, newest first. */
export function listKeys(records: Records): KeyRecord[] {
  return Array.from(records.keys.getRange(), ({ key, value }) => ({ hash: key, stored: value }))
    .sort((a, b) => b.stored.number - a.stored.number)
    .map(({ hash, stored }) => keyRecord(records, hash, stored))
}

export function findAccount({ accounts }: Records, account: string): AccountRecord | undefined {
  const found = accounts.get(account)
  return found && { account, label: found.label, plan: found.plan }
}

function keyRecord(records: Records, hash: string, { keyPrefix, account, status, createdAt }: StoredKey): KeyRecord {
  const { label, plan } = accountOf(records, { account })
  return { hash, keyPrefix, account, label, plan, status, createdAt }
}

function accountOf({ accounts }: Records, { account }: Pick<StoredKey, 'account'>): Account {
  const found = accounts.get(account)
  if (!found) throw new Error(`the store has a key of account ${account}, and no such account`)
  return found
}
