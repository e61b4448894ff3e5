import { idOfHash } from '../../gateway/accounts/keys.ts'
import { changed } from '../../gateway/admission/terms.ts'
import {
  type GuestMint,
  KEYS_KEPT,
  type KeyRecord,
  type KeyStore,
  type Mint,
  type Minted,
  type NewKey,
  type Revocation,
  type Rotation,
} from '../../gateway/store/key-store.ts'
import type { EpochMs } from '../../policy/config.ts'
import type { Caller } from '../../policy/facts.ts'
import { accountIn, newAccount, noteChange } from './embedded-accounts.ts'
import { type Account, type Records, readAccount, type StoredKey, writeAccount } from './records.ts'
import type { StoreState } from './store-state.ts'

/** Keys of accounts and guests. Every change is one transaction, so that of two at once the second sees the first. */
export class EmbeddedKeys implements KeyStore {
  readonly #state: () => StoreState

  /** `state` throws StoreUnavailable once the store is closed. */
  constructor(state: () => StoreState) {
    this.#state = state
  }

  async findCaller(hash: string): Promise<Caller | undefined> {
    const { records } = this.#state()
    const key = records.cache.key(hash)
    if (key?.status !== 'active') return undefined
    const { account, keyPrefix } = key
    const { kind, terms } = records.cache.account(account) ?? accountIn(records, account)
    const caller = { kind, account, keyPrefix, terms, key: { id: idOfHash(hash) } }
    const orgTerms = records.cache.orgTerms(terms.org)
    return orgTerms ? { ...caller, orgTerms } : caller
  }

  async mint({ key, owner, by }: Mint): Promise<Minted> {
    const { records, now } = this.#state()
    const at = now()
    if ('account' in owner) accountIn(records, owner.account)
    return records.transact(() => {
      const id = 'account' in owner ? owner.account : (records.labels.get(owner.label) ?? owner.newAccount)
      const known = readAccount(records, id)
      if (known?.activeKey) return { outcome: 'exists', key: keyRecord(records, known.activeKey) }
      const account = 'account' in owner ? accountIn(records, id) : openAccount(records, id, owner, by, at)
      noteChange(records, { at, by, action: 'mint', account: id, before: '', after: key.prefix })
      return { outcome: 'minted', key: writeKey(records, id, account, key, at) }
    })
  }

  /** Counters, ledger and terms belong to the account, so that none of them changes. */
  async rotate({ account, current, next, by }: Rotation): Promise<KeyRecord | undefined> {
    const { records, now } = this.#state()
    const at = now()
    return records.transact(() => {
      const key = records.keys.get(current)
      if (key?.status !== 'active' || key.account !== account) return undefined
      records.keys.put(current, { ...key, status: 'rotated' })
      noteChange(records, { at, by, action: 'rotate', account, before: key.keyPrefix, after: next.prefix })
      return writeKey(records, account, accountIn(records, account), next, at)
    })
  }

  async revoke({ hash, account: owner, by }: Revocation): Promise<KeyRecord | undefined> {
    const { records, now } = this.#state()
    const at = now()
    return records.transact(() => {
      const key = records.keys.get(hash)
      if (key?.status !== 'active' || (owner !== undefined && owner !== key.account)) return undefined
      const { account: id, keyPrefix } = key
      const account = accountIn(records, id)
      records.keys.put(hash, { ...key, status: 'revoked' })
      writeAccount(records, id, { ...account, activeKey: null, keys: account.keys.slice(0, KEYS_KEPT) })
      noteChange(records, { at, by, action: 'revoke', account: id, before: keyPrefix, after: '' })
      return keyRecord(records, hash)
    })
  }

  async list(): Promise<readonly KeyRecord[]> {
    const { records } = this.#state()
    return Array.from(records.keys.getRange(), ({ key, value }) => ({ hash: key, number: value.number }))
      .sort((a, b) => b.number - a.number)
      .map(({ hash }) => keyRecord(records, hash))
  }

  async listOf(account: string): Promise<readonly KeyRecord[]> {
    const { records } = this.#state()
    return records.accounts.get(account)?.keys.map(hash => keyRecord(records, hash)) ?? []
  }

  async findGuest(account: string): Promise<KeyRecord | undefined> {
    return guestKey(this.#state().records, account)
  }

  async mintGuest({ account, key, by }: GuestMint): Promise<KeyRecord> {
    const { records, now } = this.#state()
    const at = now()
    const known = guestKey(records, account)
    if (known) return known
    return records.transact(() => {
      const first = guestKey(records, account)
      if (first) return first
      if (by !== undefined) noteChange(records, { at, by, action: 'mint', account, before: '', after: key.prefix })
      return writeKey(records, account, newAccount('guest', account, at), key, at)
    })
  }
}

/** The account that an operator names by its label; it may begin here. It gets the plan of the mint, which is the newest choice. */
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
  const { terms, ...entry } = changed(known.terms, { override })
  if (entry.before !== entry.after) noteChange(records, { at, by, account: id, ...entry })
  return { ...known, terms }
}

/** The key of a device, also one that was revoked. */
function guestKey(records: Records, account: string): KeyRecord | undefined {
  const known = records.accounts.get(account)
  const [hash] = known?.kind === 'guest' ? known.keys : []
  return hash === undefined ? undefined : keyRecord(records, hash)
}

/** Makes a key the active one of an account. Only within a transaction. */
function writeKey(records: Records, id: string, account: Account, key: NewKey, createdAt: EpochMs): KeyRecord {
  const { hash, prefix } = key
  const number = (records.meta.get('minted') ?? 0) + 1
  records.meta.put('minted', number)
  records.keys.put(hash, { keyPrefix: prefix, account: id, status: 'active', createdAt, number })
  writeAccount(records, id, { ...account, activeKey: hash, keys: [hash, ...account.keys].slice(0, 1 + KEYS_KEPT) })
  return keyRecord(records, hash)
}

/** The record of a key that an account names. */
function keyRecord(records: Records, hash: string): KeyRecord {
  const { keyPrefix, account, status, createdAt } = keyIn(records, hash)
  const { kind, label, terms } = accountIn(records, account)
  return { hash, id: idOfHash(hash), keyPrefix, account, kind, label, terms, status, createdAt }
}

function keyIn({ keys }: Records, hash: string): StoredKey {
  const key = keys.get(hash)
  if (!key) throw new Error('the store has an account with a key, and no such key')
  return key
}
