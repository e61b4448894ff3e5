import type { EpochMs, Millis, NanoUsd, Overage } from '../../policy/config.ts'
import type { Caller, Terms } from '../../policy/facts.ts'

/** Accounts, keys and guests: the part of the Store that says who may call. */
export interface AccountStore {
  /** The caller behind an active key. Never cached, so that a revoked key is refused by the next request. */
  findCaller(keyHash: string): Promise<Caller | undefined>
  /** The account of a sign-in, which begins with its first one; plan and label of the token are kept where they changed. */
  signIn(signIn: SignedIn): Promise<Caller>

  /** Makes the key its account's active one, unless the account has one. Durable. */
  mintKey(mint: Mint): Promise<Minted>
  /** Ends the account's active key if it is this one, and makes the next one active in its place; else undefined. Durable. */
  rotateKey(rotation: Rotation): Promise<KeyRecord | undefined>
  /** Ends a key; undefined when no active key has this hash, or it is not of the account. Durable: the next request is refused. */
  revokeKey(revocation: Revocation): Promise<KeyRecord | undefined>
  /** Every key, newest first. */
  listKeys(): Promise<readonly KeyRecord[]>
  /** Keys of one account: the active one, then at most KEYS_KEPT that ended, newest first. */
  keysOf(account: string): Promise<readonly KeyRecord[]>

  /** The key of a device; undefined before its first mint. */
  findGuest(account: string): Promise<KeyRecord | undefined>
  /** Makes the key of a device, once. Durable. */
  mintGuest(guest: GuestMint): Promise<KeyRecord>
  /**
   * Counts one event under each name if every count is below its limit in the running window, else none.
   * Returns 0, or the wait until there is room. Shared by all gateways; a restart of an embedded store may forget it.
   */
  countEvent(counts: readonly EventCount[], window: Millis): Promise<Millis>

  findAccount(account: string): Promise<AccountRecord | undefined>
  /** Accounts with this label: none, one, or several that signed in under the same one. */
  findAccounts(label: string): Promise<readonly AccountRecord[]>
  /** Every account there is, in no order, as fast as they are taken. */
  readAccounts(): AsyncIterable<AccountRecord>
  /** Changes what an operator decides of an account; undefined when there is none. Durable: it holds for the next request. */
  changeTerms(change: TermsChange): Promise<AccountRecord | undefined>
  /** Writes a row of the audit of a change that is of no account. Durable. */
  noteChange(change: GatewayChange): Promise<void>
  /** Control changes, oldest first. */
  readAudit(query?: { readonly account?: string; readonly since?: EpochMs }): AsyncIterable<AuditRow>
}

export const KEYS_KEPT = 20

export interface SignedIn {
  readonly account: string
  /** What the token says, if it says so. */
  readonly claimed?: string
  readonly label?: string
  /** Of the token: an older one changes nothing. */
  readonly issuedAt?: EpochMs
}

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

export interface EventCount {
  readonly name: string
  readonly limit: number
}

/** A key as it may be shown: the value itself is nowhere. */
export interface KeyRecord {
  readonly hash: string
  readonly keyPrefix: string
  readonly account: string
  readonly kind: Caller['kind']
  readonly label: string
  /** Of the account, as they are now. */
  readonly terms: Terms
  readonly status: 'active' | 'revoked' | 'rotated'
  readonly createdAt: EpochMs
}

export interface AccountRecord {
  readonly account: string
  readonly kind: Caller['kind']
  /** How people call it: what an operator said, else a claim of the token, else its id. */
  readonly label: string
  readonly terms: Terms
  readonly createdAt: EpochMs
}

/** One decision of an operator. null takes an earlier one back. */
export interface TermsChange {
  readonly account: string
  readonly change:
    | { readonly override: string | null }
    | { readonly overage: Overage | null }
    /** Added to what was granted in the window; never below 0 in sum. */
    | { readonly grant: NanoUsd; readonly window: EpochMs }
  readonly by: string
}

/** Who changed what, when, and what it was before. */
export interface AuditRow {
  readonly at: EpochMs
  /** An operator, or an account that signed in. */
  readonly by: string
  readonly action: 'mint' | 'rotate' | 'revoke' | 'set-plan' | 'set-overage' | 'grant' | GatewayChange['action']
  /** Empty for a change of the gateway itself. */
  readonly account: string
  /** Texts as people read them: a masked key, a plan, an amount, a revision, a drained pool; empty for none. */
  readonly before: string
  readonly after: string
}

/** A change of a gateway itself, as the audit has it. */
export interface GatewayChange extends Pick<AuditRow, 'by' | 'before' | 'after'> {
  readonly action: 'apply' | 'rollback' | 'reload' | 'drain' | 'undrain'
}
