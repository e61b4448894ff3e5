import type { EpochMs } from '../../policy/config.ts'
import type { Caller, Terms } from '../../policy/facts.ts'

/**
 * The keys of accounts and of guests' devices: one facet of the Store, see there for atomicity, clock and outages.
 * A key is known by the hash of its value; the value itself is stored nowhere. An account has at most one active key.
 */
export interface KeyStore {
  /** The caller behind an active key; undefined where there is none. Sees every earlier revocation, by any gateway. */
  findCaller(hash: string): Promise<Caller | undefined>

  /**
   * Makes the key its account's active one, unless the account has an active key. Durable.
   * Rejects with an Error when the owner is an account id that does not exist.
   */
  mint(mint: Mint): Promise<Minted>
  /**
   * Ends the account's active key and makes the next one active in its place. Durable.
   * Undefined, and nothing changed, when `current` is not the active key of the account.
   */
  rotate(rotation: Rotation): Promise<KeyRecord | undefined>
  /**
   * Ends an active key, so that the next request with it is refused. Durable.
   * Undefined, and nothing changed, when no active key has this hash, or it belongs to another account.
   */
  revoke(revocation: Revocation): Promise<KeyRecord | undefined>

  /** Every key there is, newest first. */
  list(): Promise<readonly KeyRecord[]>
  /** The keys of one account: the active one, then at most KEYS_KEPT that ended, newest first. Empty for an unknown account. */
  listOf(account: string): Promise<readonly KeyRecord[]>

  /** The key of a guest's device, also when it was revoked; undefined before its first mint. */
  findGuest(account: string): Promise<KeyRecord | undefined>
  /** Makes the key of a guest's device, once: a repetition resolves to the key there is. Durable. */
  mintGuest(guest: GuestMint): Promise<KeyRecord>
}

/** How many ended keys of an account are listed and kept. */
export const KEYS_KEPT = 20

/** How a key is stored. */
export interface NewKey {
  readonly hash: string
  /** Masked, for listings. */
  readonly prefix: string
}

export interface Mint {
  readonly key: NewKey
  /** An account that signed in, or one that an operator calls by a label, with the plan it gets. */
  readonly owner:
    | { readonly account: string }
    | { readonly label: string; readonly override: string; readonly newAccount: string }
  readonly by: string
}

export type Minted =
  | { readonly outcome: 'minted'; readonly key: KeyRecord }
  /** The account has an active key already; nothing was written. */
  | { readonly outcome: 'exists'; readonly key: KeyRecord }

export interface Rotation {
  readonly account: string
  readonly current: string
  readonly next: NewKey
  readonly by: string
}

export interface Revocation {
  readonly hash: string
  /** Only if the key is of this account. */
  readonly account?: string
  readonly by: string
}

export interface GuestMint {
  /** `dev_…`, of the device. */
  readonly account: string
  readonly key: NewKey
  /** An operator; absent when the device asked for itself, which is no control change. */
  readonly by?: string
}

/** A key as it may be shown: the value itself is nowhere. */
export interface KeyRecord {
  readonly hash: string
  /** Public, and the same for the life of the key. */
  readonly id: string
  readonly keyPrefix: string
  readonly account: string
  readonly kind: Caller['kind']
  readonly label: string
  /** Of the account, as they are now. */
  readonly terms: Terms
  readonly status: 'active' | 'revoked' | 'rotated'
  readonly createdAt: EpochMs
}
