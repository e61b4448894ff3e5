import { hashOfInvitation, INVITATION_MS, isOfSignIn, newInvitation } from '../../gateway/accounts/invitations.ts'
import type { AccountRecord, SignInsChange } from '../../gateway/store/account-store.ts'
import { type Denied, invalid } from '../../policy/denial.ts'
import type { InvitedAccount, ShownAccount } from '../../wire/admin/account.ts'
import * as calls from '../../wire/admin-api/accounts.ts'
import type { BodyOf } from '../../wire/admin-api/call.ts'
import { shownOf } from './accounts.ts'
import { type AdminContext, type AdminOp, accountNamed, noAccount, opOf } from './op.ts'

/** Who signs in to accounts that operators opened. */
export const inviteOps: readonly AdminOp[] = [opOf(calls.invite, invite), opOf(calls.uninvite, uninvite)]

/** The link is shown once: the store has the hash of its secret. */
async function invite(
  context: AdminContext,
  { account: named }: BodyOf<typeof calls.invite>,
): Promise<InvitedAccount | Denied> {
  const { settings, random } = context
  if (settings.identity?.issuer === undefined)
    return invalid('account', 'cannot be joined: sign-in needs identity.issuer')
  const record = await accountNamed(context, named)
  if ('denial' in record) return record
  const wrong = notOpened(record)
  if (wrong) return wrong
  const { account } = record
  const invitation = newInvitation(account, random)
  const change = { invite: hashOfInvitation(invitation), forMs: INVITATION_MS }
  const changed = await changeSignIns(context, account, change)
  return 'denial' in changed ? changed : { ...changed, invitation, link: linkOf(context, invitation) }
}

/** Only accounts without a sign-in of their own: people who sign in have theirs, and accounts are never merged. */
function notOpened({ account, kind, label }: AccountRecord): Denied | undefined {
  if (kind === 'guest') return invalid('account', 'is a device, which has no sign-in')
  return isOfSignIn(account)
    ? invalid('account', `was created by a sign-in: ${label} already signs in to it`)
    : undefined
}

/** Null if no console can guide a person through it. The part after `#` reaches no server and no log. */
function linkOf({ settings: { server } }: AdminContext, invitation: string): string | null {
  return server.consoleUrl === undefined ? null : `${server.consoleUrl}#invitation=${invitation}`
}

/** Ends the invitation that is open; with `sign_in` lets a sign-in go that joined. */
async function uninvite(
  context: AdminContext,
  { account, sign_in: remove }: BodyOf<typeof calls.uninvite>,
): Promise<ShownAccount | Denied> {
  const record = await accountNamed(context, account)
  if ('denial' in record) return record
  return changeSignIns(context, record.account, remove === undefined ? { withdraw: true } : { remove })
}

async function changeSignIns(
  context: AdminContext,
  account: string,
  change: SignInsChange['change'],
): Promise<ShownAccount | Denied> {
  const changed = await context.store.accounts.changeSignIns({ account, change, by: context.by })
  if (changed.outcome === 'changed') return shownOf(context, changed.record)
  return changed.outcome === 'not-joined' ? invalid('sign_in', 'has not joined this account') : noAccount(account)
}
