import { idOfHash } from '../../gateway/accounts/keys.ts'
import type { Labelled } from '../../gateway/accounts/look-alikes.ts'
import { looksLike } from '../../gateway/accounts/look-alikes.ts'
import { changed } from '../../gateway/admission/terms.ts'
import {
  auditName,
  auditOfGrace,
  auditOfMint,
  auditOfNext,
  isNamed,
  listed,
  statusAt,
  works,
} from '../../gateway/store/key-life.ts'
import {
  type GuestMint,
  KEYS_KEPT,
  type KeyCaller,
  type KeyRecord,
  type KeyStore,
  type KeyUse,
  type Mint,
  type Minted,
  type Revocation,
  type Rotation,
  type TooManyKeys,
} from '../../gateway/store/key-store.ts'
import type { EpochMs } from '../../policy/config.ts'
import type { Mutable } from '../../policy/decision.ts'
import { type Narrowed, narrowedIn } from '../../records/key.ts'
import { accountIn, newAccount, noteChange } from './accounts.ts'
import { put } from './lmdb.ts'
import { lookAlikeOf, noteShapes } from './look-alikes.ts'
import { type Records, readAccount, writeAccount } from './records.ts'
import type { StoreState } from './store-state.ts'
import type { Account, StoredKey } from './stored-records.ts'

/** Keys of accounts and guests. Every change is one transaction, so that of two at once the second sees the first. */
export class EmbeddedKeys implements KeyStore {
  readonly #state: () => StoreState

  /** `state` throws StoreUnavailable once the store is closed. */
  constructor(state: () => StoreState) {
    this.#state = state
  }

  async findCaller(hash: string): Promise<KeyCaller | undefined> {
    const { records, now } = this.#state()
    const key = records.cache.key(hash)
    if (!key || !works(key, now())) return undefined
    const { account, keyPrefix, addresses, apart, caller } = key
    const { kind, terms } = records.cache.account(account) ?? accountIn(records, account)
    const orgTerms = records.cache.orgTerms(terms.org)
    const found: Mutable<KeyCaller> = { kind, account, keyPrefix, terms, key: caller }
    if (orgTerms) found.orgTerms = orgTerms
    if (addresses) found.addresses = addresses
    if (apart !== undefined) found.apart = apart
    return found
  }

  recallCaller(): undefined {
    return undefined
  }

  async mint(mint: Mint): Promise<Minted> {
    const { owner, by, name, most } = mint
    const { records, now } = this.#state()
    const at = now()
    if ('account' in owner) accountIn(records, owner.account)
    return records.transact(() => {
      if (records.keys.doesExist(mint.key.hash))
        return { outcome: 'exists', key: keyRecord(records, mint.key.hash, at) }
      const id = 'account' in owner ? owner.account : (records.labels.get(owner.label) ?? owner.newAccount)
      const working = workingKeys(records, readAccount(records, id), at)
      const same = working.find(({ key }) => isNamed(key, name))
      if (same) return { outcome: 'exists', key: keyRecord(records, same.hash, at) }
      const alike = working.find(({ key }) => name !== undefined && looksLike(name, key.name ?? name))
      if (alike) return { outcome: 'alike', key: keyRecord(records, alike.hash, at) }
      if (working.length >= most) return FULL
      const other = otherOpened(records, id, owner)
      if (other) return { outcome: 'alike', ...other }
      const account = 'account' in owner ? accountIn(records, id) : openAccount(records, id, owner, by, at)
      noteChange(records, { at, by, action: 'mint', account: id, before: '', after: auditOfMint(mint) })
      return { outcome: 'minted', key: writeKey(records, id, account, newKeyOf(mint, at), at) }
    })
  }

  /** Counters, ledger and terms belong to the account, so that none of them changes. */
  async rotate(rotation: Rotation): Promise<KeyRecord | TooManyKeys | undefined> {
    const { account, current, next, overlap, limits, by } = rotation
    const { records, now } = this.#state()
    const at = now()
    return records.transact(() => {
      if (records.keys.get(next.hash)?.account === account) return keyRecord(records, next.hash, at)
      const key = records.keys.get(current)
      if (!key || !works(key, at) || key.account !== account || key.replacedBy !== undefined) return undefined
      const owner = accountIn(records, account)
      if (overlap && workingKeys(records, owner, at).length >= overlap.most) return FULL
      const made = nextKeyOf(key, rotation, at)
      const replaced = { ...key, replacedBy: made.id }
      records.write.key(
        current,
        overlap
          ? { ...replaced, expiresAt: Math.min(key.expiresAt ?? Number.POSITIVE_INFINITY, at + overlap.grace) }
          : { ...replaced, status: 'rotated' },
      )
      noteChange(records, {
        ...{ at, by, action: 'rotate', account },
        before: auditName(key.keyPrefix, key.name) + (overlap ? auditOfGrace(overlap.grace) : ''),
        after: auditName(made.keyPrefix, key.name) + auditOfNext(limits, made.apart),
      })
      return writeKey(records, account, owner, { hash: next.hash, stored: made }, at)
    })
  }

  async revoke({ hash, account: owner, by }: Revocation): Promise<KeyRecord | undefined> {
    const { records, now } = this.#state()
    const at = now()
    return records.transact(() => {
      const key = records.keys.get(hash)
      if (!key || !works(key, at) || (owner !== undefined && owner !== key.account)) return undefined
      const { account: id, keyPrefix, name } = key
      const account = accountIn(records, id)
      records.write.key(hash, { ...key, status: 'revoked' })
      const activeKey = account.activeKey === hash ? null : account.activeKey
      writeAccount(records, id, { ...account, activeKey, keys: keptOf(records, account.keys, at) })
      noteChange(records, { at, by, action: 'revoke', account: id, before: auditName(keyPrefix, name), after: '' })
      return keyRecord(records, hash, at)
    })
  }

  async list(): Promise<readonly KeyRecord[]> {
    const { records, now } = this.#state()
    const at = now()
    return Array.from(records.keys.getRange(), ({ key, value }) => ({ hash: key, number: value.number }))
      .sort((a, b) => b.number - a.number)
      .map(({ hash }) => keyRecord(records, hash, at))
  }

  async listOf(account: string): Promise<readonly KeyRecord[]> {
    const { records, now } = this.#state()
    const at = now()
    return listed(records.accounts.get(account)?.keys.map(hash => keyRecord(records, hash, at)) ?? [])
  }

  async findGuest(account: string): Promise<KeyRecord | undefined> {
    const { records, now } = this.#state()
    return guestKey(records, account, now())
  }

  async mintGuest({ account, key, by }: GuestMint): Promise<KeyRecord> {
    const { records, now } = this.#state()
    const at = now()
    const known = guestKey(records, account, at)
    if (known) return known
    return records.transact(() => {
      const first = guestKey(records, account, at)
      if (first) return first
      if (by !== undefined) noteChange(records, { at, by, action: 'mint', account, before: '', after: key.prefix })
      return writeKey(records, account, newAccount('guest', account, at), newKeyOf({ key }, at), at)
    })
  }

  async keepMintSecret(secret: string): Promise<string> {
    const { marks, change } = this.#state().records
    const known = marks.get('mint')
    if (known !== undefined) return known
    return change(() => {
      const first = marks.get('mint') ?? secret
      marks.put('mint', first)
      return first
    })
  }

  async noteUses(uses: readonly KeyUse[]): Promise<void> {
    const { records, now } = this.#state()
    const { keyUses } = records
    const at = now()
    const later = uses.filter(({ hash, ago }) => at - ago > (keyUses.get(hash) ?? 0))
    for (let from = 0; from < later.length; from += USES_AT_ONCE)
      await records.commit(later.slice(from, from + USES_AT_ONCE).map(({ hash, ago }) => put(keyUses, hash, at - ago)))
  }
}

/** The larger a commit, the more room it has to find on a disk that may be full. */
const USES_AT_ONCE = 512

const FULL = { outcome: 'full' } as const

/** The account whose label looks like that of a new one. */
const otherOpened = (records: Records, id: string, owner: Mint['owner']): Labelled | undefined =>
  'label' in owner && !records.accounts.doesExist(id) ? lookAlikeOf(records, owner.label) : undefined

/** The account that an operator names by its label; it may begin here. It gets the plan of the mint, which is the newest choice, unless it keeps its own. */
function openAccount(
  records: Records,
  id: string,
  { label, override, keepsPlan }: { label: string; override: string; keepsPlan?: true },
  by: string,
  at: EpochMs,
): Account {
  const known = readAccount(records, id)
  if (!known) {
    records.labels.put(label, id)
    noteShapes(records, label, id)
    return { ...newAccount('developer', label, at), terms: { override } }
  }
  if (keepsPlan) return known
  const { terms, ...entry } = changed(known.terms, { override })
  if (entry.before !== entry.after) noteChange(records, { at, by, account: id, ...entry })
  return { ...known, terms }
}

/** The key of a device, also one that was revoked. */
function guestKey(records: Records, account: string, at: EpochMs): KeyRecord | undefined {
  const known = records.accounts.get(account)
  const [hash] = known?.kind === 'guest' ? known.keys : []
  return hash === undefined ? undefined : keyRecord(records, hash, at)
}

/** A key to be stored: by its hash, without members that storing adds. */
interface Unstored {
  readonly hash: string
  readonly stored: Omit<StoredKey, 'account' | 'status' | 'number'>
}

function newKeyOf(
  { key, name, life, ...given }: Pick<Mint, 'key' | 'name' | 'life'> & Narrowed,
  at: EpochMs,
): Unstored {
  const { hash, prefix: keyPrefix, id } = key
  const stored = {
    keyPrefix,
    createdAt: at,
    ...(id !== undefined && { id }),
    ...(name !== undefined && { name }),
    ...(life !== undefined && { expiresAt: at + life }),
    ...narrowedIn(given),
  }
  return { hash, stored }
}

/** The key that takes the place of another. */
function nextKeyOf(
  { status: _status, number: _number, account: _account, ...key }: StoredKey,
  { current, next: { hash, prefix: keyPrefix, id = idOfHash(hash) }, life, limits, apart = key.apart }: Rotation,
  at: EpochMs,
) {
  const { expiresAt, limits: before, ...kept } = key
  const origin = key.origin ?? key.id ?? idOfHash(current)
  const ends = life === undefined ? expiresAt : at + life
  const narrowed = limits ?? before ?? []
  return {
    ...{ ...kept, id, origin, keyPrefix, createdAt: at },
    ...(narrowed.length > 0 && { limits: narrowed }),
    ...(ends !== undefined && { expiresAt: ends }),
    ...(apart !== undefined && { apart }),
  }
}

/** Adds a key that works to an account. Only within a transaction. */
function writeKey(records: Records, id: string, account: Account, { hash, stored }: Unstored, at: EpochMs): KeyRecord {
  const number = (records.meta.get('minted') ?? 0) + 1
  records.meta.put('minted', number)
  records.write.key(hash, { ...stored, account: id, status: 'active', number })
  const activeKey = stored.name === undefined ? hash : account.activeKey
  writeAccount(records, id, { ...account, activeKey, keys: keptOf(records, [hash, ...account.keys], at) })
  return keyRecord(records, hash, at)
}

/** The keys of an account that work. */
function workingKeys(records: Records, account: Account | undefined, at: EpochMs) {
  const keys = (account?.keys ?? []).map(hash => ({ hash, key: keyIn(records, hash) }))
  return keys.filter(({ key }) => works(key, at))
}

/** The ids by which limits count the keys of an account that work. */
export const countedKeys = (records: Records, account: string, at: EpochMs): ReadonlySet<string> =>
  new Set(
    workingKeys(records, readAccount(records, account), at).map(
      ({ hash, key: { origin, id = idOfHash(hash) } }) => origin ?? id,
    ),
  )

/** The hashes that an account keeps of these: those of keys that work, and the first ones of those that ended. */
function keptOf(records: Records, hashes: readonly string[], at: EpochMs): readonly string[] {
  let ended = 0
  return hashes.filter(hash => works(keyIn(records, hash), at) || ++ended <= KEYS_KEPT)
}

/** The record of a key that an account names. */
function keyRecord(records: Records, hash: string, at: EpochMs): KeyRecord {
  const key = keyIn(records, hash)
  const { account, number: _number, status: _status, id = idOfHash(hash), ...kept } = key
  const { kind, label, terms } = accountIn(records, account)
  const lastUsedAt = records.keyUses.get(hash)
  const shown = { ...kept, hash, id, account, kind, label, terms, status: statusAt(key, at) }
  return lastUsedAt === undefined ? shown : { ...shown, lastUsedAt }
}

function keyIn({ keys }: Records, hash: string): StoredKey {
  const key = keys.get(hash)
  if (!key) throw new Error('the store has an account with a key, and no such key')
  return key
}
