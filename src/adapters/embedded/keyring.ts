import {
  KEYS_KEPT,
  type KeyRecord,
  type Mint,
  type Minted,
  type NewKey,
  type Revocation,
  type Rotation,
} from '../../gateway/accounts/account-store.ts'
import { changed } from '../../gateway/admission/terms.ts'
import type { EpochMs } from '../../policy/config.ts'
import type { Caller } from '../../policy/facts.ts'
import { accountIn, newAccount } from './accounts.ts'
import { note } from './audit.ts'
import { type Account, type Records, readAccount, type StoredKey, writeAccount } from './records.ts'

export function findCaller(records: Records, hash: string): Caller | undefined {
  const { known } = records
  const key = known.key(hash)
  if (key?.status !== 'active') return undefined
  const { account, keyPrefix } = key
  const { kind, terms } = known.account(account) ?? accountIn(records, account)
  return { kind, account, keyPrefix, terms }
}

/** In one transaction, so that of many mints for one account a single one finds no active key. */
export async function mintKey(records: Records, { key, owner, by }: Mint, at: EpochMs): Promise<Minted> {
  if ('account' in owner) accountIn(records, owner.account)
  return records.transact(() => {
    const id = 'account' in owner ? owner.account : (records.labels.get(owner.label) ?? owner.newAccount)
    const known = readAccount(records, id)
    if (known?.activeKey) return { outcome: 'exists', key: recordOf(records, known.activeKey) }
    const account = 'account' in owner ? accountIn(records, id) : openAccount(records, id, owner, by, at)
    note(records, { at, by, action: 'mint', account: id, before: '', after: key.prefix })
    return { outcome: 'minted', key: writeKey(records, id, account, key, at) }
  })
}

/** The account an operator means, which may begin here. The plan asked for becomes its own: the operator said so last. */
function openAccount(
  records: Records,
  id: string,
  { label, override }: { label: string; override: string },
  by: string,
  at: EpochMs,
): Account {
  const known = readAccount(records, id)
  if (!known) {
    records.labels.put(label, id)
    return { ...newAccount('developer', label, at), terms: { override } }
  }
  const { terms, ...said } = changed(known.terms, { override })
  if (said.before !== said.after) note(records, { at, by, account: id, ...said })
  return { ...known, terms }
}

/** Standing, ledger and terms belong to the account, so that nothing of them moves. */
export function rotateKey(records: Records, rotation: Rotation, at: EpochMs): Promise<KeyRecord | undefined> {
  const { account, current, next, by } = rotation
  return records.transact(() => {
    const key = records.keys.get(current)
    if (key?.status !== 'active' || key.account !== account) return undefined
    records.keys.put(current, { ...key, status: 'rotated' })
    note(records, { at, by, action: 'rotate', account, before: key.keyPrefix, after: next.prefix })
    return writeKey(records, account, accountIn(records, account), next, at)
  })
}

export function revokeKey(records: Records, revocation: Revocation, at: EpochMs): Promise<KeyRecord | undefined> {
  const { hash, account: owner, by } = revocation
  return records.transact(() => {
    const key = records.keys.get(hash)
    if (key?.status !== 'active' || (owner !== undefined && owner !== key.account)) return undefined
    const { account: id, keyPrefix } = key
    const account = accountIn(records, id)
    records.keys.put(hash, { ...key, status: 'revoked' })
    writeAccount(records, id, { ...account, activeKey: null, keys: account.keys.slice(0, KEYS_KEPT) })
    note(records, { at, by, action: 'revoke', account: id, before: keyPrefix, after: '' })
    return recordOf(records, hash)
  })
}

/** Every key, newest first. */
export function listKeys(records: Records): KeyRecord[] {
  return Array.from(records.keys.getRange(), ({ key, value }) => ({ hash: key, number: value.number }))
    .sort((a, b) => b.number - a.number)
    .map(({ hash }) => recordOf(records, hash))
}

export const keysOf = (records: Records, account: string): KeyRecord[] =>
  records.accounts.get(account)?.keys.map(hash => recordOf(records, hash)) ?? []

/** Makes a key the active one of an account. Only within a transaction. */
export function writeKey(records: Records, id: string, account: Account, key: NewKey, createdAt: EpochMs): KeyRecord {
  const { hash, prefix } = key
  const number = (records.meta.get('minted') ?? 0) + 1
  records.meta.put('minted', number)
  records.keys.put(hash, { keyPrefix: prefix, account: id, status: 'active', createdAt, number })
  writeAccount(records, id, { ...account, activeKey: hash, keys: [hash, ...account.keys].slice(0, 1 + KEYS_KEPT) })
  return recordOf(records, hash)
}

/** The record of a key that an account names. */
export function recordOf(records: Records, hash: string): KeyRecord {
  const { keyPrefix, account, status, createdAt } = keyIn(records, hash)
  const { kind, label, terms } = accountIn(records, account)
  return { hash, keyPrefix, account, kind, label, terms, status, createdAt }
}

function keyIn({ keys }: Records, hash: string): StoredKey {
  const key = keys.get(hash)
  if (!key) throw new Error('the store has an account with a key, and no such key')
  return key
}
