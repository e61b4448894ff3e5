import { hashOfInvitation, INVITATION_MS, isOfSignIn, newInvitation } from '../../gateway/accounts/invitations.ts'
import type { AccountRecord, SignInsChange } from '../../gateway/store/account-store.ts'
import { type Denied, invalid } from '../../policy/denial.ts'
import type { JsonObject } from '../../wire/json-safety.ts'
import { validator } from '../../wire/openai/validate.ts'
import { shownOf } from './admin-accounts.ts'
import { type AdminContext, type AdminOp, accountNamed, NAME, noAccount, textOf } from './admin-op.ts'

const fields = (properties: object) =>
  validator({
    type: 'object',
    required: ['account'],
    properties: { account: NAME, ...properties },
    additionalProperties: false,
  })

/** Who signs in to accounts that operators opened. */
export const inviteOps: readonly AdminOp[] = [
  { method: 'POST', path: '/admin/accounts/invite', needs: 'admin', check: fields({}), run: invite },
  { method: 'POST', path: '/admin/accounts/uninvite', needs: 'admin', check: fields({ sign_in: NAME }), run: uninvite },
]

/** The link is shown once: the store has the hash of its secret. */
async function invite(context: AdminContext, body: JsonObject): Promise<object | Denied> {
  const { settings, random } = context
  if (settings.identity?.issuer === undefined)
    return invalid('account', 'cannot be joined: nobody signs in here without identity.issuer')
  const record = await accountNamed(context, textOf(body, 'account'))
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
  if (kind === 'guest') return invalid('account', 'is a device, which nobody signs in to')
  return isOfSignIn(account) ? invalid('account', `began with a sign-in: ${label} signs in to it already`) : undefined
}

/** Null where no console can lead a person through it. What stands behind `#` reaches no server and no log. */
function linkOf({ settings: { server } }: AdminContext, invitation: string): string | null {
  return server.consoleUrl === undefined ? null : `${server.consoleUrl}#invitation=${invitation}`
}

/** Ends the invitation that is open; with `sign_in` lets a sign-in go that joined. */
async function uninvite(context: AdminContext, body: JsonObject): Promise<object | Denied> {
  const record = await accountNamed(context, textOf(body, 'account'))
  if ('denial' in record) return record
  const remove = body.sign_in === undefined ? undefined : textOf(body, 'sign_in')
  return changeSignIns(context, record.account, remove === undefined ? { withdraw: true } : { remove })
}

async function changeSignIns(context: AdminContext, account: string, change: SignInsChange['change']) {
  const changed = await context.store.accounts.changeSignIns({ account, change, by: context.by })
  if (changed.outcome === 'changed') return shownOf(context, changed.record)
  return changed.outcome === 'not-joined' ? invalid('sign_in', 'has not joined this account') : noAccount(account)
}
