import { randomUUID } from 'node:crypto'
import { hostname, userInfo } from 'node:os'
import type { LimitRule } from '../policy/limits/rule.ts'
import { CommandFailed, exitCodes } from '../server/failure.ts'
import type { AccountNotices } from '../wire/account/own-notices.ts'
import type { InvitedAccount, LIST_ORDERS, ShownAccount, ShownAccounts } from '../wire/admin/account.ts'
import type { ShownAudit } from '../wire/admin/audit.ts'
import type { ShownStanding } from '../wire/admin/event.ts'
import type { ShownExplained } from '../wire/admin/explained.ts'
import { KEY, type ShownKey } from '../wire/admin/key.ts'
import type { LedgerRecord } from '../wire/admin/ledger-record.ts'
import type { CountedLimit } from '../wire/admin/limit.ts'
import type { ShownOrg, ShownOrgs } from '../wire/admin/org.ts'
import type { PastRequests } from '../wire/admin/past-request.ts'
import type { RequestDetail } from '../wire/admin/request-detail.ts'
import type { UsageReport } from '../wire/admin/usage-report.ts'
import { USER, USER_HINT } from '../wire/admin/user.ts'
import * as accounts from '../wire/admin-api/accounts.ts'
import type { AnswerOf, BodySent, OperationCall } from '../wire/admin-api/call.ts'
import type { RowsQuery } from '../wire/admin-api/fields.ts'
import * as keys from '../wire/admin-api/keys.ts'
import type { PastRequestsQuery } from '../wire/admin-api/requests.ts'
import * as requests from '../wire/admin-api/requests.ts'
import type { ShownInvoice } from '../wire/invoice/shown-invoice.ts'
import type { ShownInvoices } from '../wire/invoice/shown-invoices.ts'
import { readAs } from '../wire/schema/read.ts'
import type { ClientTls } from './client-tls.ts'

/**
 * The operators' calls, through a running gateway or on its store. Rejects with CommandFailed.
 * A key is named by its full or masked value, or by its account; an account by its id or label, or by its key.
 */
export interface OperatorApi extends Streams {
  /** For a device without a wish. */
  mint(owner: NewOwner, wish?: WishedKey): Promise<MintedByOperator>
  list(query?: KeysQuery): Promise<readonly ShownKey[]>
  showKey(named: string): Promise<ShownKey & { readonly owner: ShownAccount }>
  rotate(named: string, rotation?: WishedRotation): Promise<MintedByOperator>
  revoke(named: string): Promise<ShownKey>
  /** A page of at most `limit`, up to 1000; without a plan all but devices. */
  listAccounts(query: AccountsQuery): Promise<ShownAccounts>
  listOrgs(): Promise<ShownOrgs>
  /** An org is named `org:acme`. */
  showAccount(named: string): Promise<ShownAccount | ShownOrg>
  /** Null: no longer by an operator. */
  setPlan(named: string, plan: string | null): Promise<ShownAccount>
  setOverage(named: string, overage: boolean | { readonly cap_usd: string } | null): Promise<ShownAccount>
  /** Adds to the limit of the running window; `usd` is an exact decimal, negative to take back. */
  grant(named: string, usd: string): Promise<ShownAccount>
  /** Where notices of an account go, by its own choice. */
  showContacts(named: string): Promise<AccountNotices>
  removeContact(named: string, contact: 'mail' | 'webhook'): Promise<AccountNotices>
  /** A frozen account is served nothing, until it is thawed; nor is any account of a frozen org. */
  setFrozen(named: string, frozen: boolean): Promise<ShownAccount | ShownOrg>
  /** A limit of an org counts for all of its accounts together. */
  setLimit(named: string, limit: LimitRule): Promise<ShownAccount | ShownOrg>
  unsetLimit(named: string, limit: CountedLimit): Promise<ShownAccount | ShownOrg>
  /** An org begins with its first account. Null: to none any more. */
  setOrg(named: string, org: string | null): Promise<ShownAccount>
  /** A link that has one sign-in join an account which an operator opened; one before it ends. */
  invite(named: string): Promise<InvitedAccount>
  /** Ends the open invitation; or, given the id of a sign-in that joined, lets that go. */
  uninvite(named: string, signIn?: string): Promise<ShownAccount>
  /** Asks what a request of an account would get now. Changes nothing. */
  explain(asked: BodySent<typeof requests.explainRequest>): Promise<ShownExplained>
}

/** Which accounts, and in which order. */
export interface AccountsQuery {
  readonly plan?: string
  /** `org:acme` */
  readonly org?: string
  readonly search?: string
  readonly sort?: (typeof LIST_ORDERS)[number]
  readonly limit: number
  readonly cursor?: string
}

/** Calls that answer with rows or with totals, and the end of the connection. */
export interface Streams {
  /** Totals of whole UTC days; of one account or key, or of all that was used. */
  usage(query: UsageQuery): Promise<UsageReport>
  /** The invoice of an account for a month such as `2026-10`. */
  invoice(query: InvoiceQuery): Promise<ShownInvoice>
  /** The months of an account that have usage. */
  invoices(query: Pick<InvoiceQuery, 'account'>): Promise<ShownInvoices>
  /** The invoices of all accounts for a month such as `2026-10`, in no order, as fast as they are taken. */
  monthInvoices(query: Pick<InvoiceQuery, 'month'>): AsyncIterable<ShownInvoice>
  /** The month that `this` or `last` means by the gateway's clock and calendar: `2026-10`. */
  monthNamed(query: Pick<InvoiceQuery, 'month'>): Promise<string>
  /** Rows in the order of their admission, as fast as they are taken. `account` is an id or a label. */
  ledger(query: RowsQuery): AsyncIterable<LedgerRecord>
  /** Rows as CSV with the columns of FOCUS, in pieces. */
  focus(query: RowsQuery): AsyncIterable<string>
  /** A page of past requests, newest first. */
  pastRequests(query: PastRequestsQuery): Promise<PastRequests>
  /** All that is known of one request: by the gateway of this name, or by `all`. */
  showRequest(requestId: string, gateway: string): Promise<RequestDetail>
  /** Control changes, oldest first. */
  audit(query: SinceQuery): AsyncIterable<ShownAudit>
  /** How accounts stand: one of them, by its id or label, or all that have had a key. */
  standings(account?: string): AsyncIterable<ShownStanding>
  /** All that the store has, as of one moment, as the bytes of a backup. */
  backup(): AsyncIterable<Uint8Array>
  close(): Promise<void>
}

export interface UsageQuery extends RowsQuery {
  readonly by: readonly string[]
}

export interface InvoiceQuery {
  /** Its id or label. */
  readonly account: string
  readonly month: string
}

export interface SinceQuery {
  readonly since: string
  readonly account?: string
}

/** The plan may be left out for an account that is named by its id. */
export type NewOwner = { readonly account: string; readonly plan?: string } | { readonly device: string }

/** The terms asked for a new key; times as texts such as `90d`. */
export interface WishedKey {
  readonly name?: string
  readonly expires_in?: string
  readonly models?: readonly string[]
  readonly addresses?: readonly string[]
  readonly limits?: readonly LimitRule[]
  /** The values of labels, by label. */
  readonly labels?: Readonly<Record<string, string>>
}

/** How long the key before works on, and how long the next one works. */
export interface WishedRotation {
  readonly grace?: string
  readonly expires_in?: string
}

/** Keys of one account alone, and those alone that end within a time. */
export interface KeysQuery {
  readonly account?: string
  readonly expiring_in?: string
}

export interface MintedByOperator {
  readonly key: ShownKey
  /** The full key, only where one was made. */
  readonly value?: string
  /** The base URL for clients. */
  readonly baseUrl: string
}

/** The name of the operator who makes a change, if given. */
export interface OperatorName {
  /** The name that the operator wants in the audit, in place of that of the user of this machine. */
  readonly as?: string
}

/** A running gateway, and what lets this user in. */
export interface AdminEndpoint extends OperatorName {
  readonly admin: string
  readonly token: string
  /** Where it is reached by https. */
  readonly tls?: ClientTls
}

/**
 * Runs an operation of the admin table. Rejects with CommandFailed when it is refused. With a key of repetitions it may be
 * run again where nothing is known of the first run.
 */
export type RunAdminOp = <C extends OperationCall>(
  declared: C,
  body?: BodySent<C>,
  repeatKey?: string,
) => Promise<AnswerOf<C>>

/** The API on top of admin operations, run by a gateway or in this process. */
export const operatorApiOf = (run: RunAdminOp, streams: Streams): OperatorApi => ({
  ...streams,
  mint: async (owner, wish) =>
    mintedOf(
      'device' in owner
        ? await run(keys.mintGuestKey, { device_id: owner.device })
        : await run(keys.mintKey, { ...owner, ...wish }, randomUUID()),
    ),
  // An older gateway lists all of them.
  list: async query => (await (query ? run(keys.listSomeKeys, query) : run(keys.listKeys))).data,
  showKey: key => run(keys.showKey, { key }),
  rotate: async (key, rotation) => mintedOf(await run(keys.rotateKey, { key, ...rotation }, randomUUID())),
  revoke: key => run(keys.revokeKey, { key }),
  listAccounts: query => run(accounts.listAccounts, query),
  listOrgs: () => run(accounts.listOrgs),
  showAccount: account => run(accounts.showAccount, { account }),
  setPlan: (account, plan) => run(accounts.setPlan, { account, plan }),
  setOverage: (account, overage) => run(accounts.setOverage, { account, overage }),
  grant: (account, usd) => run(accounts.grantCredit, { account, usd }),
  setFrozen: (account, frozen) => run(frozen ? accounts.freezeAccount : accounts.thawAccount, { account }),
  setLimit: (account, limit) => run(accounts.setLimit, { account, limit }),
  unsetLimit: (account, limit) => run(accounts.unsetLimit, { account, limit }),
  setOrg: (account, org) => run(accounts.setOrg, { account, org }),
  invite: account => run(accounts.invite, { account }),
  explain: asked => run(requests.explainRequest, asked),
  showContacts: account => run(accounts.showContacts, { account }),
  removeContact: (account, contact) => run(accounts.removeContact, { account, contact }),
  uninvite: (account, sign_in) => run(accounts.uninvite, { account, ...(sign_in && { sign_in }) }),
})

const mintedOf = ({ value, base_url, ...key }: AnswerOf<typeof keys.mintKey>): MintedByOperator => ({
  key: readAs(KEY, key),
  ...(value !== undefined && { value }),
  baseUrl: base_url,
})

/** Who runs this command, as the audit of the gateway has it beside the admin token: SVCCTL_USER, else the user of the machine. */
export function osUser(): string {
  const { SVCCTL_USER: named } = process.env
  if (named === undefined || named === '') return userAt(userName(), hostname())
  if (USER.test(named)) return named
  throw new CommandFailed(`✗ SVCCTL_USER ${USER_HINT}`, exitCodes.usage)
}

/** `ada@laptop`, in the characters and the length that the gateway takes. */
export function userAt(user: string, host: string): string {
  const written = `${user}@${host}`.replace(/[^!-~]/gu, '_').slice(0, 64)
  return USER.test(written) ? written : `_${written}`.slice(0, 64)
}

function userName(): string {
  try {
    return userInfo().username
  } catch {
    // Containers run under users that no file lists.
    return `uid${process.getuid?.() ?? ''}`
  }
}
