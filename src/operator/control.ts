import type { ShownAccount, ShownAccounts, ShownAudit, ShownKey } from '../http/admin/admin-records.ts'
import type { ShownStanding } from '../http/admin/event-records.ts'
import type { Group, LedgerRecord, UsageReport } from '../wire/admin/report.ts'

/**
 * What operators may do, through a running gateway or on its store. Rejects with CommandFailed.
 * A key is named by its full or masked value, or by its account; an account by its id or label, or by its key.
 */
export interface Control extends Streams {
  mint(owner: NewOwner): Promise<MintedByOperator>
  list(): Promise<readonly ShownKey[]>
  showKey(named: string): Promise<ShownKey & { readonly owner: ShownAccount }>
  rotate(named: string): Promise<MintedByOperator>
  revoke(named: string): Promise<ShownKey>
  /** At most `limit`; without a plan all but devices. */
  listAccounts(query: { readonly plan?: string; readonly limit: number }): Promise<ShownAccounts>
  showAccount(named: string): Promise<ShownAccount>
  /** Null: no longer by an operator. */
  setPlan(named: string, plan: string | null): Promise<ShownAccount>
  setOverage(named: string, overage: boolean | { readonly cap_usd: string } | null): Promise<ShownAccount>
  /** In the running window; `usd` is an exact decimal, negative to take back. */
  grant(named: string, usd: string): Promise<ShownAccount>
}

/** What comes in rows, and what is not for one account alone. */
export interface Streams {
  /** Totals of whole UTC days. */
  usage(query: { readonly since: string; readonly by: Group }): Promise<UsageReport>
  /** Rows in the order of their admission, as fast as they are taken. `account` is an id or a label. */
  ledger(query: SinceQuery): AsyncIterable<LedgerRecord>
  /** Control changes, oldest first. */
  audit(query: SinceQuery): AsyncIterable<ShownAudit>
  /** How accounts stand: one of them, by its id or label, or all that have had a key. */
  standings(account?: string): AsyncIterable<ShownStanding>
  close(): Promise<void>
}

export interface SinceQuery {
  readonly since: string
  readonly account?: string
}

/** The plan may be left out for an account that is named by its id. */
export type NewOwner = { readonly account: string; readonly plan?: string } | { readonly device: string }

export interface MintedByOperator {
  readonly key: ShownKey
  /** The full key, only where one was made. */
  readonly value?: string
  /** What clients set as base URL. */
  readonly baseUrl: string
}
