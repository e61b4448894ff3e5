import type { Millis } from '../../policy/config.ts'
import type { Caller, Terms } from '../../policy/facts.ts'
import type { LimitRule } from '../../policy/limits/rule.ts'
import type { KeyLife, KeyState, Narrowed } from '../../records/key.ts'

/**
 * The keys of accounts and of guests' devices: one facet of the Store, which documents atomicity, clock and outages. A
 * key is known by the hash of its value; the value itself is stored nowhere. An account has a first key without a name,
 * and others with distinct names. A key's restrictions never change after the mint; a rotation copies them, except for
 * limits.
 */
export interface KeyStore {
  /** The caller behind a valid key; undefined if it has expired, or any gateway has revoked it. */
  findCaller(hash: string): Promise<KeyCaller | undefined>
  /**
   * The caller as looked up within the last seconds, without asking the store. The key may have ended since, or the
   * account may have changed, so this may lead only to an admission, which asks the store, and to no other answer.
   * Undefined if nothing is cached, as in a store that keeps its keys in memory.
   */
  recallCaller(hash: string): KeyCaller | undefined

  /**
   * Creates a key of the account, and opens the account if needed. Refuses if a valid key of the account has this name
   * or a name that looks like it, if the account has its maximum of keys, or if the label looks like another account's.
   * Durable. Repeating the call with the same key resolves to that key, which may have ended since. Rejects with an
   * Error if the owner is an unknown account id.
   */
  mint(mint: Mint): Promise<Minted>
  /**
   * Replaces a valid key by a new one with its name and restrictions. Limits may differ; their counters continue. The
   * old key ends at once or after a grace period. Durable. Repeating the call with the same new key resolves to that
   * key. Undefined, with nothing changed, if `current` is not a valid key of the account or was replaced before.
   */
  rotate(rotation: Rotation): Promise<KeyRecord | TooManyKeys | undefined>
  /**
   * Revokes a valid key: the next request with it is refused. Durable. Undefined, with nothing changed, if no valid key
   * of the account has this hash.
   */
  revoke(revocation: Revocation): Promise<KeyRecord | undefined>

  /** All keys, newest first. */
  list(): Promise<readonly KeyRecord[]>
  /**
   * The keys of one account: valid ones, then at most KEYS_KEPT ended ones, each group newest first. Empty for an
   * unknown account.
   */
  listOf(account: string): Promise<readonly KeyRecord[]>

  /** The key of a guest's device, even if revoked; undefined before its first mint. */
  findGuest(account: string): Promise<KeyRecord | undefined>
  /** Creates the key of a guest's device once: repeating the call resolves to the existing key. Durable. */
  mintGuest(guest: GuestMint): Promise<KeyRecord>

  /**
   * Stores a secret unless the store has one, and resolves to the one that it has. Keys derived from it are the same at
   * every gateway, so that a repeated mint returns the same key. Durable; backups leave it out.
   */
  keepMintSecret(secret: string): Promise<string>

  /** Records when keys were last used, and never moves a time back. A crash may lose the latest ones. */
  noteUses(uses: readonly KeyUse[]): Promise<void>
}

/** The number of ended keys of an account that are listed and kept. */
export const KEYS_KEPT = 20

/** A caller with a valid key. */
export interface KeyCaller extends Caller {
  /** The addresses that it may call from. Absent: any. */
  readonly addresses?: readonly string[]
  /** As in the key. */
  readonly apart?: string
}

/** A key as stored. */
export interface NewKey {
  readonly hash: string
  /** The masked value, for listings. */
  readonly prefix: string
  /** `key_…`. Absent: derived from the hash. */
  readonly id?: string
}

export interface Mint extends Narrowed {
  readonly key: NewKey
  /**
   * An account that signed in, or the label of one that an operator names, with the plan it gets. With `keepsPlan`, an
   * existing account stays on its plan.
   */
  readonly owner:
    | { readonly account: string }
    | { readonly label: string; readonly override: string; readonly newAccount: string; readonly keepsPlan?: true }
  /** The account's name for it. Absent: its first key. */
  readonly name?: string
  /** Its lifetime. Absent: unlimited. */
  readonly life?: Millis
  /** The maximum of valid keys of the account. */
  readonly most: number
  readonly by: string
}

export type Minted =
  | { readonly outcome: 'minted'; readonly key: KeyRecord }
  /** A valid key has this name; nothing was written. */
  | { readonly outcome: 'exists'; readonly key: KeyRecord }
  | LookAlike
  | TooManyKeys

/**
 * The name looks like that of another key of the account, or the label like that of another account; nothing was
 * written.
 */
export type LookAlike =
  | { readonly outcome: 'alike'; readonly key: KeyRecord }
  | { readonly outcome: 'alike'; readonly label: string; readonly account: string }

/** The account has its maximum of valid keys; nothing was written. */
export interface TooManyKeys {
  readonly outcome: 'full'
}

export interface Rotation {
  readonly account: string
  readonly current: string
  readonly next: NewKey
  /** The lifetime of the new key. Absent: the rest of the old key's. */
  readonly life?: Millis
  /**
   * How long the old key keeps working, at most until it expires, and how many keys may be valid then. Absent: it ends
   * at once.
   */
  readonly overlap?: { readonly grace: Millis; readonly most: number }
  /** The limits of the new key; empty for no limits. Absent: those of the old key. */
  readonly limits?: readonly LimitRule[]
  /** The mark by which the new key isolates its responses. Absent: that of the old key. */
  readonly apart?: string
  readonly by: string
}

export interface Revocation {
  readonly hash: string
  /** The account that the key must belong to. */
  readonly account?: string
  readonly by: string
}

export interface GuestMint {
  /** `dev_…`: the device. */
  readonly account: string
  readonly key: NewKey
  /** The operator; absent if the device requested the key itself, which is not audited as a change. */
  readonly by?: string
}

/** A key without its value, which is stored nowhere. */
export interface KeyRecord extends Omit<KeyState, 'id' | 'number' | 'status'> {
  /** Public, and stable for the life of the key. */
  readonly id: string
  readonly kind: Caller['kind']
  readonly label: string
  /** The account's terms, as they are now. */
  readonly terms: Terms
  /** A valid key is active. A replaced key is rotated once it has stopped working. */
  readonly status: KeyLife['status'] | 'expired'
}

/** One use of a key. */
export interface KeyUse {
  readonly hash: string
  readonly account: string
  readonly ago: Millis
}
