import type { Calendar } from '../../policy/calendar.ts'
import type { EpochMs, Millis, Overage } from '../../policy/config.ts'
import type { Window } from '../../policy/decision.ts'
import type { Caller, Terms } from '../../policy/facts.ts'
import type { Readings } from '../../policy/limits/readings.ts'
import type { LimitRule } from '../../policy/limits/rule.ts'
import type { NanoUsd } from '../../policy/nano-usd.ts'
import type { AccountState, ContactWebhook } from '../../records/account.ts'
import type { AuditRow, GatewayAction } from '../../records/audit.ts'

/**
 * Accounts, what operators decided about them, and what they used of their limits: one facet of the Store, see there
 * for atomicity, clock and outages. An account begins with its first sign-in, or with its first key.
 */
export interface AccountStore {
  /**
   * Opens the account at its first sign-in, and keeps plan and label of the token where they changed. An older token
   * than the last one that changed something changes nothing. Durable where something changed. A sign-in that joined another account
   * is the caller of that one, of which its claims change nothing.
   */
  signIn(signIn: SignedIn): Promise<Caller>

  /** The account with this id; undefined where there is none. */
  find(account: string): Promise<AccountRecord | undefined>
  /** The accounts with this label: none, one, or several that signed in under the same one. */
  findByLabel(label: string): Promise<readonly AccountRecord[]>
  /** Every account there is, once, in no order; read in pages, as fast as the caller takes them. */
  readAll(): AsyncIterable<AccountRecord>
  /** Every account there is, in small pages, as fast as the caller takes them. One may come twice where there is no order. */
  scan(scan?: Scan): AsyncIterable<readonly ScannedAccount[]>
  /** The orders that scans can go in. */
  readonly scanOrders: readonly ScanOrder[]

  /**
   * Changes one term that an operator decides about an account; undefined if there is no such account. Durable: the next request
   * sees it. A change without effect leaves no audit row.
   */
  changeTerms(change: TermsChange): Promise<AccountRecord | undefined>
  /** Invites a sign-in to an account, has it join, or lets it go. Durable, with a row of the audit. */
  changeSignIns(change: SignInsChange): Promise<SignInsChanged>
  /** Changes where notices of an account go. Durable, with a row of the audit. */
  changeContacts(change: ContactsChange): Promise<ContactsChanged>
  /** Writes an audit row of a change of the gateway itself, which belongs to no account. Durable. */
  noteChange(change: GatewayChange): Promise<void>
  /** Changes by operators and accounts, oldest first, of one account or of all, at or after `since`. */
  readAudit(query?: AuditQuery): AsyncIterable<AuditRow>
  /** Reads the audit newest first, as far as the caller goes. */
  readAuditBack(query?: Pick<AuditQuery, 'account'>): AsyncIterable<AuditRow>

  /** The spend of an account in the billing window of this moment, by a calendar, or UTC. Rejects with an Error when there is no such account. */
  readSpend(account: string, calendar?: Calendar): Promise<SpendReading>
  /** An account, and what it has used of its limits at this moment; undefined when there is no such account. */
  readUsage(account: string, calendar?: Calendar): Promise<AccountUsage | undefined>

  /**
   * Counts one event under each name if every count is below its limit in the running window, else none.
   * Resolves to 0, or to the wait in milliseconds until there is room. Shared by all gateways; a restart of an embedded
   * store may forget the counts.
   */
  countEvent(counts: readonly EventCount[], window: Millis): Promise<Millis>
}

/** A verified sign-in. */
export interface SignedIn {
  readonly account: string
  /** The plan that the token claims; absent where it claims none. */
  readonly claimed?: string
  /** The org that its groups name, which is open; absent where they name none. */
  readonly org?: string
  /** The label that the token claims; absent where it claims none. */
  readonly label?: string
  /** When the token was issued: an older token changes nothing. */
  readonly issuedAt?: EpochMs
}

export interface AccountRecord extends Omit<AccountState, 'terms' | 'activeKey' | 'keys' | 'believedAt'> {
  readonly terms: Terms
}

/** Order by id, or by label. Devices have no label and are left out of the latter. */
export type ScanOrder = 'id' | 'label'

/** Where an account stands in an order: by its rank, and among equals by its id. */
export interface ScanPlace {
  readonly rank: string | number
  readonly account: string
}

/** The order and bounds of a scan. */
export interface Scan {
  /** One that the store can go in; without it there is none. */
  readonly order?: ScanOrder
  /** Only accounts behind this place of the order. */
  readonly after?: ScanPlace
  /** Says of an id, just before its account would be read, whether that is needed. Others may come all the same. */
  readonly wants?: (account: string) => boolean
  /** Whether to read what each spent as well. */
  readonly spend?: boolean
  /** The calendar of its billing windows. Absent: UTC. */
  readonly calendar?: Calendar
}

export interface ScannedAccount extends AccountRecord {
  /** In the billing window of the moment in which the scan began; only where it is asked for. */
  readonly used?: NanoUsd
}

/** One decision of an operator about an account. null takes an earlier one back. */
export interface TermsChange {
  readonly account: string
  readonly change:
    | { readonly override: string | null }
    | { readonly overage: Overage | null }
    /** In nano-USD: is added to the grants of the window, whose sum never falls below 0. */
    | { readonly grant: NanoUsd; readonly window: EpochMs }
    | { readonly frozen: boolean }
    /** The identity provider's choice. */
    | { readonly deactivated: boolean }
    /** In place of the one that counts the same. */
    | { readonly limit: LimitRule }
    /** Takes the one back that counts this. */
    | { readonly withoutLimit: Omit<LimitRule, 'most'> }
    /** The name of an org that is open. */
    | { readonly org: string | null }
  readonly by: string
  /** Opens the account of a sign-in that has none yet. */
  readonly opens?: true
}

/** Who signs in to an account that an operator opened. */
export interface SignInsChange {
  readonly account: string
  readonly change: /** The hash of the secret; an invitation before it ends. */
    | { readonly invite: string; readonly forMs: Millis }
    /** Ends the invitation that is open. */
    | { readonly withdraw: true }
    /** The id of the sign-in, and the hash of the secret that it brings. */
    | { readonly join: string; readonly secret: string }
    /** The id of a sign-in that joined: it is an account of its own again. */
    | { readonly remove: string }
  readonly by: string
}

export type SignInsChanged =
  | { readonly outcome: 'changed'; readonly record: AccountRecord }
  /** `joined-other`: the sign-in belongs to another account, and leaves that first. */
  | { readonly outcome: 'unknown' | 'not-invited' | 'full' | 'joined-other' | 'not-joined' }

/** A mail address that a token was sent to, and the hash of it. */
export interface AskedMail {
  readonly address: string
  readonly hash: string
  readonly forMs: Millis
}

/** Where notices of an account go. */
export interface ContactsChange {
  readonly account: string
  readonly change:
    | /** The hash of a token that came back. */ { readonly confirm: string }
    /**
     * null takes back what was chosen; what is absent stays. A mail address is used once it is confirmed; `keep` withdraws one
     * that waits for that, and leaves the confirmed one.
     */
    | {
        readonly at?: readonly number[] | null
        readonly mail?: AskedMail | 'keep' | null
        readonly webhook?: ContactWebhook | null
      }
  readonly by: string
}

export type ContactsChanged =
  | { readonly outcome: 'changed'; readonly record: AccountRecord }
  /** `not-asked`: no address waits for this token, or no more. */
  | { readonly outcome: 'unknown' | 'not-asked' }

export interface AuditQuery {
  readonly account?: string
  /** Changes at or after this moment. */
  readonly since?: EpochMs
}

/** A change of a gateway itself, or what an operator was refused, for the audit. */
export interface GatewayChange extends Pick<AuditRow, 'by' | 'before' | 'after'> {
  readonly action: GatewayAction
}

/** The spend of an account in its billing window, which ends before `end`. */
export interface SpendReading {
  readonly used: NanoUsd
  readonly held: NanoUsd
  readonly window: Window
}

/** An account's use of its limits. */
export interface AccountUsage extends SpendReading, Readings {
  readonly record: AccountRecord
  /** The last second that counts in the minute of the account; 0 where none does. */
  readonly newest: number
  /** The store's clock. */
  readonly at: EpochMs
}

/** An event to be counted under a name, which may happen `limit` times in a window. */
export interface EventCount {
  readonly name: string
  readonly limit: number
}
