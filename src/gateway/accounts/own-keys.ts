import type { Millis } from '../../policy/config.ts'
import type { Denied, KeysDenial } from '../../policy/denial.ts'
import type { LimitRule } from '../../policy/limits/rule.ts'
import type { Random } from '../ports.ts'
import type { AccountStore } from '../store/account-store.ts'
import type { KeyRecord, KeyStore, TooManyKeys } from '../store/key-store.ts'
import { asMask, isKeyId, type MintedKey } from './accounts.ts'
import type { KeyWish } from './key-wish.ts'
import { hashOf, isWellFormed, newKey, toStoredKey } from './keys.ts'

/** A new key in the place of another one; the full value is shown once. */
export interface RotatedKey {
  readonly key: KeyRecord
  readonly value: string
}

/** The keys of an account that signed in. */
export interface Owner {
  readonly brand: string
  readonly account: string
  /** How many of its keys may work at a time. */
  readonly most: number
}

const HOUR: Millis = 3_600_000
const CHANGES_PER_HOUR = 60

/** Counts one change that an account makes of its keys, since each may be a durable write and a row of the audit. */
export async function countChange(
  accounts: Pick<AccountStore, 'countEvent'>,
  account: string,
): Promise<Denied<KeysDenial> | undefined> {
  const limit = CHANGES_PER_HOUR
  const retryAfterMs = await accounts.countEvent([{ name: `keys:${account}`, limit }], HOUR)
  if (retryAfterMs === 0) return undefined
  return { denial: { code: 'rate_limit_exceeded', type: 'requests', of: 'keys', limit, retryAfterMs } }
}

/** Makes a key of an account that signed in, unless it has one of this name; without a name its first one. */
export async function mintOwnKey(
  keys: KeyStore,
  random: Random,
  { brand, account, most }: Owner,
  wish: KeyWish,
): Promise<MintedKey> {
  const value = newKey(brand, random)
  const key = toStoredKey(value, random)
  const minted = await keys.mint({ ...wish, key, owner: { account }, most, by: account })
  return minted.outcome === 'minted' ? { ...minted, value } : minted
}

/** The request to replace a key of an account. */
interface OwnRotation {
  /** Its id, its mask, or its value. */
  readonly named: string
  /** How long the key that is replaced works on. Absent: it ends at once. */
  readonly grace?: Millis | undefined
  /** Absent: those that it had. */
  readonly limits?: readonly LimitRule[] | undefined
}

/** Replaces a key of the account; undefined when it has no such key. */
export async function rotateOwnKey(
  keys: KeyStore,
  random: Random,
  owner: Owner,
  { named, grace, limits }: OwnRotation,
): Promise<RotatedKey | TooManyKeys | undefined> {
  const { brand, account, most } = owner
  const current = await hashNamed(keys, owner, named)
  if (current === undefined) return undefined
  const value = newKey(brand, random)
  const key = await keys.rotate({
    ...{ account, current, next: toStoredKey(value, random), by: account },
    ...(grace !== undefined && { overlap: { grace, most } }),
    ...(limits && { limits }),
  })
  return key && ('outcome' in key ? key : { key, value })
}

/** Ends a key of the account, named as for a rotation. */
export async function revokeOwnKey(keys: KeyStore, owner: Owner, named: string): Promise<KeyRecord | undefined> {
  const hash = await hashNamed(keys, owner, named)
  const { account } = owner
  return hash === undefined ? undefined : keys.revoke({ hash, account, by: account })
}

/**
 * The hash of a key that is given in full, of any account; or of the account's one key that works and has this id or
 * mask, by which a lost key is named.
 */
async function hashNamed(
  keys: KeyStore,
  { brand, account }: Pick<Owner, 'brand' | 'account'>,
  named: string,
): Promise<string | undefined> {
  if (isWellFormed(brand, named)) return hashOf(named)
  const isMeant = ({ id, keyPrefix }: KeyRecord) => (isKeyId(named) ? id === named : keyPrefix === asMask(named))
  const own = await keys.listOf(account)
  const [key, another] = own.filter(each => each.status === 'active' && isMeant(each))
  return another ? undefined : key?.hash
}
