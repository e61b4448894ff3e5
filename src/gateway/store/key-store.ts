import type { Millis } from '../../policy/config.ts'
import type { Caller, Terms } from '../../policy/facts.ts'
import type { LimitRule } from '../../policy/limits/rule.ts'
import type { KeyLife, KeyState, Narrowed } from '../../records/key.ts'

/**
 * The keys of accounts and of guests' devices: one facet of the Store, see there for atomicity, clock and outages. A key is known
 * by the hash of its value; the value itself is stored nowhere. An account has a first key without a name, and others by names
 * that differ. A key's restrictions never change after the mint. A rotation copies them, except for limits.
 */
export interface KeyStore {
  /**
   * The caller behind a key that works; undefined where there is none. Sees every earlier revocation, by any gateway, and
   * no key whose time is over.
   */
  findCaller(hash: string): Promise<KeyCaller | undefined>
  /**
   * The caller as it was found a few seconds ago, without asking: the key may have ended since, and the account may be
   * another one. It may lead to an admission, which asks, and to no other answer. Undefined where nothing is recalled, as
   * in a store that has its keys in memory.
   */
  recallCaller(hash: string): KeyCaller | undefined

  /**
   * Makes a key of the account, unless one of this name works, or one whose name looks like it, or as many as may; and opens no
   * account whose label looks like that of another one. Durable. The same key again resolves to that
   * key as it is, which may have ended.
   * Rejects with an Error when the owner is an account id that does not exist.
   */
  mint(mint: Mint): Promise<Minted>
  /**
   * Makes a key in the place of one that works, with its name and all that it narrows; its limits may be others, which
   * count on with what was used. The one before ends at once, or
   * works on for a while. Durable. The same next key again resolves to that key as it is. Undefined, and nothing changed, when `current` is no key of the account that works, or
   * was replaced before.
   */
  rotate(rotation: Rotation): Promise<KeyRecord | TooManyKeys | undefined>
  /**
   * Ends a key that works, so that the next request with it is refused. Durable.
   * Undefined, and nothing changed, when no key with this hash works, or it belongs to another account.
   */
  revoke(revocation: Revocation): Promise<KeyRecord | undefined>

  /** Every key there is, newest first. */
  list(): Promise<readonly KeyRecord[]>
  /** The keys of one account: those that work, then at most KEYS_KEPT that ended, each newest first. Empty for an unknown account. */
  listOf(account: string): Promise<readonly KeyRecord[]>

  /** The key of a guest's device, also when it was revoked; undefined before its first mint. */
  findGuest(account: string): Promise<KeyRecord | undefined>
  /** Makes the key of a guest's device, once: a repetition resolves to the key there is. Durable. */
  mintGuest(guest: GuestMint): Promise<KeyRecord>

  /**
   * Keeps a secret of the store where it has none, and resolves to the one that it has: keys are derived from it that a repeated
   * mint has to make again, by whichever gateway. Durable; it is in no backup.
   */
  keepMintSecret(secret: string): Promise<string>

  /** Keeps when keys were last used. Later uses than these are left as they are. A crash may forget the last ones. */
  noteUses(uses: readonly KeyUse[]): Promise<void>
}

/** How many ended keys of an account are listed and kept. */
export const KEYS_KEPT = 20

/** A caller by a key that works. */
export interface KeyCaller extends Caller {
  /** From where it may call. Absent: from anywhere. */
  readonly addresses?: readonly string[]
  /** As of the key. */
  readonly apart?: string
}

/** How a key is stored. */
export interface NewKey {
  readonly hash: string
  /** Masked, for listings. */
  readonly prefix: string
  /** `key_…`. Absent: one that is made of the hash. */
  readonly id?: string
}

export interface Mint extends Narrowed {
  readonly key: NewKey
  /**
   * An account that signed in, or one that an operator calls by a label, with the plan it gets. With `keepsPlan` an account
   * that is there already stays on the plan that it has.
   */
  readonly owner:
    | { readonly account: string }
    | { readonly label: string; readonly override: string; readonly newAccount: string; readonly keepsPlan?: true }
  /** The account's name for it. Absent: its first key. */
  readonly name?: string
  /** How long it works. Absent: until it is ended. */
  readonly life?: Millis
  /** How many keys of the account may work at a time. */
  readonly most: number
  readonly by: string
}

export type Minted =
  | { readonly outcome: 'minted'; readonly key: KeyRecord }
  /** A key of this name works already; nothing was written. */
  | { readonly outcome: 'exists'; readonly key: KeyRecord }
  | LookAlike
  | TooManyKeys

/** The name asked for looks like that of another key of the account, or of another account; nothing was written. */
export type LookAlike =
  | { readonly outcome: 'alike'; readonly key: KeyRecord }
  | { readonly outcome: 'alike'; readonly label: string; readonly account: string }

/** The account already has its maximum of working keys; nothing was written. */
export interface TooManyKeys {
  readonly outcome: 'full'
}

export interface Rotation {
  readonly account: string
  readonly current: string
  readonly next: NewKey
  /** How long the next one works. Absent: as long as the one before would have. */
  readonly life?: Millis
  /** How long the one before works on, at most to the end of its time, and how many keys may work then. Absent: it ends at once. */
  readonly overlap?: { readonly grace: Millis; readonly most: number }
  /** The limits of the next one; none of them: no limits. Absent: those of the one before. */
  readonly limits?: readonly LimitRule[]
  /** The mark by which the next one keeps responses apart. Absent: that of the one before. */
  readonly apart?: string
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
export interface KeyRecord extends Omit<KeyState, 'id' | 'number' | 'status'> {
  /** Public, and the same for the life of the key. */
  readonly id: string
  readonly kind: Caller['kind']
  readonly label: string
  /** The account's terms, as they are now. */
  readonly terms: Terms
  /** A key that works is active. One that was replaced is rotated once it works no more. */
  readonly status: KeyLife['status'] | 'expired'
}

/** That a key was used. */
export interface KeyUse {
  readonly hash: string
  readonly account: string
  readonly ago: Millis
}
