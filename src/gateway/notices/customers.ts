import type { Crossing } from '../../policy/notices.ts'
import type { Contacts } from '../../records/account.ts'
import type { Delivery } from '../../records/notice.ts'
import { waiting } from '../store/notice.ts'

/** The offer of the files to customers, who choose their own addresses. */
export interface CustomerNotices {
  /** Percentages of limits that they choose from, ascending. */
  readonly at: readonly number[]
  /** The target whose mail server and sender they get mail by; absent where they have none. */
  readonly mail?: string
  readonly webhooks: boolean
}

export type ContactKind = 'mail' | 'webhook'

/** The name of a target that an account chose: no target of the files has a slash. */
const targetOfAccount = (account: string, kind: ContactKind): string => `${account}/${kind}`

/** The name of the mail of all customers in alarms: it goes by one server. */
export const CUSTOMER_MAIL = "customers' mail"

/** The account and the kind of its target; undefined for a target of the files. */
export function accountTarget(target: string): { readonly account: string; readonly kind: ContactKind } | undefined {
  const [, account, kind] = /^(.+)\/(mail|webhook)$/s.exec(target) ?? []
  return account !== undefined && (kind === 'mail' || kind === 'webhook') ? { account, kind } : undefined
}

/** The deliveries of a crossing to the account that has the limit, at the highest of its percentages that was reached. */
export function customerDeliveries(
  { percent, above }: Pick<Crossing, 'percent' | 'above'>,
  { account, contacts }: { readonly account: string; readonly contacts: Contacts },
  offered: CustomerNotices,
): readonly Delivery[] {
  const reached = percentsOf(contacts, offered).findLast(each => each > above && each <= percent)
  if (reached === undefined) return []
  const kinds: ContactKind[] = []
  if (offered.mail !== undefined && contacts.mail !== undefined) kinds.push('mail')
  if (offered.webhooks && contacts.webhook) kinds.push('webhook')
  return kinds.map(kind => waiting(targetOfAccount(account, kind), reached))
}

/** The percentages that an account hears of: those it chose, as far as the files still offer them. */
const percentsOf = ({ at }: Contacts, { at: offered }: CustomerNotices): readonly number[] =>
  at ? offered.filter(percent => at.includes(percent)) : offered
