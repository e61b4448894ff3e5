import type { AccountRecord } from '../../gateway/store/account-store.ts'
import type { Denied } from '../../policy/denial.ts'
import { type AccountNotices, accountNotices } from '../../wire/account/own-notices.ts'
import * as calls from '../../wire/admin-api/accounts.ts'
import type { BodyOf } from '../../wire/admin-api/call.ts'
import { type AdminContext, type AdminOp, accountNamed, noAccount, opOf } from './op.ts'

/** Where notices of accounts go, by their own choice. */
export const contactOps: readonly AdminOp[] = [
  opOf(calls.showContacts, showContacts),
  opOf(calls.removeContact, removeContact),
]

async function showContacts(
  context: AdminContext,
  { account }: BodyOf<typeof calls.showContacts>,
): Promise<AccountNotices | Denied> {
  const record = await accountNamed(context, account)
  return 'denial' in record ? record : shownContacts(context, record)
}

/** The account may choose again: an operator ends what was chosen in error. */
async function removeContact(
  context: AdminContext,
  { account, contact }: BodyOf<typeof calls.removeContact>,
): Promise<AccountNotices | Denied> {
  const record = await accountNamed(context, account)
  if ('denial' in record) return record
  const change = contact === 'mail' ? { mail: null } : { webhook: null }
  const changed = await context.store.accounts.changeContacts({ account: record.account, change, by: context.by })
  return changed.outcome === 'changed' ? shownContacts(context, changed.record) : noAccount(account)
}

const shownContacts = ({ settings, clock }: AdminContext, record: AccountRecord): AccountNotices =>
  accountNotices(record, settings.customerNotices, clock.now())
