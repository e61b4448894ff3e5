import type { Millis } from '../../policy/config.ts'
import type { Denied, KeysDenial } from '../../policy/denial.ts'
import type { Random } from '../ports.ts'
import type { AccountStore } from '../store/account-store.ts'
import type { KeyRecord, KeyStore } from '../store/key-store.ts'
import { asMask, type MintedKey } from './accounts.ts'
import { hashOf, isWellFormed, newKey, toStoredKey } from './keys.ts'

/** A new key in the place of another one; the full value is shown once. */
export interface RotatedKey {
  readonly key: KeyRecord
  readonly value: string
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

/** Makes the key of an account that signed in, unless it has one. */
export async function mintOwnKey(keys: KeyStore, random: Random, brand: string, account: string): Promise<MintedKey> {
  const value = newKey(brand, random)
  const minted = await keys.mint({ key: toStoredKey(value), owner: { account }, by: account })
  return minted.outcome === 'minted' ? { ...minted, value } : minted
}

/** Replaces the account's active key, named by its full or masked value; undefined when that is another one, or none. */
export async function rotateOwnKey(
  keys: KeyStore,
  random: Random,
  { brand, account, named }: { brand: string; account: string; named: string },
): Promise<RotatedKey | undefined> {
  const current = await hashNamed(keys, brand, account, named)
  if (current === undefined) return undefined
  const value = newKey(brand, random)
  const key = await keys.rotate({ account, current, next: toStoredKey(value), by: account })
  return key && { key, value }
}

/** Ends the account's active key, named as for a rotation. */
export async function revokeOwnKey(
  keys: KeyStore,
  { brand, account, named }: { brand: string; account: string; named: string },
): Promise<KeyRecord | undefined> {
  const hash = await hashNamed(keys, brand, account, named)
  return hash === undefined ? undefined : keys.revoke({ hash, account, by: account })
}

/** The hash of a key that is given in full, of any account, or of the account's newest key that has this mask, by which a lost key is named. */
async function hashNamed(keys: KeyStore, brand: string, account: string, named: string): Promise<string | undefined> {
  if (isWellFormed(brand, named)) return hashOf(named)
  const [active] = await keys.listOf(account)
  return active?.keyPrefix === asMask(named) ? active.hash : undefined
}
