import { randomUUID } from 'node:crypto'
import { hostname, userInfo } from 'node:os'
import type { LimitRule } from '../policy/limits/limit-rule.ts'
import { CommandFailed, exitCodes } from '../server/failure.ts'
import {
  type InvitedAccount,
  readAccounts,
  readInvited,
  readOwnedKey,
  readShownAccount,
  readShownSubject,
  type ShownAccount,
  type ShownAccounts,
} from '../wire/admin/account.ts'
import type { ShownAudit } from '../wire/admin/audit.ts'
import type { ShownStanding } from '../wire/admin/event.ts'
import { readKeys, readShownKey, type ShownKey } from '../wire/admin/key.ts'
import type { LedgerRecord } from '../wire/admin/ledger-record.ts'
import type { CountedLimit } from '../wire/admin/limit.ts'
import { readOrgs, type ShownOrg, type ShownOrgs } from '../wire/admin/org.ts'
import type { PastRequests } from '../wire/admin/past-request.ts'
import type { RequestDetail } from '../wire/admin/request-detail.ts'
import type { PastRequestsQuery, RowsQuery } from '../wire/admin/rows-query.ts'
import type { Group, UsageReport } from '../wire/admin/usage-report.ts'
import { USER, USER_HINT } from '../wire/admin/user.ts'
import type { ShownInvoice } from '../wire/invoice/shown-invoice.ts'
import type { ShownInvoices } from '../wire/invoice/shown-invoices.ts'
import type { JsonObject } from '../wire/json-safety.ts'
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
}

/** Which accounts, and in which order. */
export interface AccountsQuery {
  readonly plan?: string
  /** `org:acme` */
  readonly org?: string
  readonly search?: string
  readonly sort?: string
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
  /** Rows in the order of their admission, as fast as they are taken. `account` is an id or a label. */
  ledger(query: RowsQuery): AsyncIterable<LedgerRecord>
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
  readonly by: readonly Group[]
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

/** Who makes a change, where the operator says so. */
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
 * Runs an operation of the admin table, by its path. Rejects with CommandFailed when it is refused. With a key of repetitions it
 * may be run again where nothing is known of the first run.
 */
export type RunAdminOp = (
  method: 'GET' | 'POST',
  path: string,
  body?: object,
  repeatKey?: string,
) => Promise<JsonObject>

/** The API on top of admin operations, run by a gateway or in this process. */
export const operatorApiOf = (run: RunAdminOp, streams: Streams): OperatorApi => ({
  ...streams,
  mint: async (owner, wish) =>
    'device' in owner
      ? readMinted(await run('POST', '/admin/keys/guest', { device_id: owner.device }))
      : readMinted(await run('POST', '/admin/keys', { ...owner, ...wish }, randomUUID())),
  // An older gateway lists all of them.
  list: async query => readKeys(query ? await run('POST', '/admin/keys/list', query) : await run('GET', '/admin/keys')),
  showKey: async key => readOwnedKey(await run('POST', '/admin/keys/show', { key })),
  rotate: async (key, rotation) =>
    readMinted(await run('POST', '/admin/keys/rotate', { key, ...rotation }, randomUUID())),
  revoke: async key => readShownKey(await run('POST', '/admin/keys/revoke', { key })),
  listAccounts: async query => readAccounts(await run('POST', '/admin/accounts/list', query)),
  listOrgs: async () => readOrgs(await run('GET', '/admin/orgs')),
  showAccount: async account => readShownSubject(await run('POST', '/admin/accounts/show', { account })),
  setPlan: async (account, plan) => readShownAccount(await run('POST', '/admin/accounts/plan', { account, plan })),
  setOverage: async (account, overage) =>
    readShownAccount(await run('POST', '/admin/accounts/overage', { account, overage })),
  grant: async (account, usd) => readShownAccount(await run('POST', '/admin/accounts/grant', { account, usd })),
  setFrozen: async (account, frozen) =>
    readShownSubject(await run('POST', `/admin/accounts/${frozen ? 'freeze' : 'thaw'}`, { account })),
  setLimit: async (account, limit) => readShownSubject(await run('POST', '/admin/accounts/limit', { account, limit })),
  unsetLimit: async (account, limit) =>
    readShownSubject(await run('POST', '/admin/accounts/unlimit', { account, limit })),
  setOrg: async (account, org) => readShownAccount(await run('POST', '/admin/accounts/org', { account, org })),
  invite: async account => readInvited(await run('POST', '/admin/accounts/invite', { account })),
  uninvite: async (account, sign_in) =>
    readShownAccount(await run('POST', '/admin/accounts/uninvite', { account, ...(sign_in && { sign_in }) })),
})

function readMinted(answer: JsonObject): MintedByOperator {
  const { value, base_url } = answer
  return { key: readShownKey(answer), ...(typeof value === 'string' && { value }), baseUrl: String(base_url) }
}

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
