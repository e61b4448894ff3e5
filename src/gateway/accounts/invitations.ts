import { hash } from 'node:crypto'
import type { EpochMs, Millis } from '../../policy/config.ts'
import type { Contacts, Invitation } from '../../records/account.ts'
import type { AuditRow } from '../../records/audit.ts'
import type { Random } from '../ports.ts'
import type { AccountRecord, SignInsChange, SignInsChanged } from '../store/account-store.ts'

/** How long an invitation is open. */
export const INVITATION_MS: Millis = 86_400_000

/** Sign-ins that may join one account: each request of a sign-in compares them. */
export const MOST_SIGN_INS = 50

/** Made of issuer and subject; accounts that operators open have shorter ids. */
const SIGNED_IN = /^acct_[0-9a-f]{40}$/

/** Whether an account began with a sign-in. */
export const isOfSignIn = (account: string): boolean => SIGNED_IN.test(account)

/** A secret for one invitation: it names its account, so that no index has to. Shown once; only its hash is stored. */
export const newInvitation = (account: string, random: Random): string =>
  `${account}.${Buffer.from(random(SECRET_BYTES)).toString('base64url')}`

const SECRET_BYTES = 32

/** The account that an invitation names; undefined for a text of another form. */
export const invitedTo = (invitation: string): string | undefined => INVITATION.exec(invitation)?.[1]

const INVITATION = /^(acct_[0-9A-Za-z]{1,60})\.[\w-]{43}$/

export const hashOfInvitation = (invitation: string): string => hash('sha256', invitation)

type SignIns = Pick<AccountRecord, 'invitation' | 'signIns'>

/** Who signs in to an account after a change, and the audit row of it. */
interface Changed extends Pick<AuditRow, 'action' | 'before' | 'after'> {
  readonly signIns: SignIns
  /** The new addresses for notices; absent if unchanged. */
  readonly contacts?: Contacts
}

/** Changes who signs in to an account, or returns why it cannot. `unchanged`: nothing to do. */
export function changedSignIns(
  { invitation, signIns = [], contacts = {} }: SignIns & Pick<AccountRecord, 'contacts'>,
  { change }: Pick<SignInsChange, 'change'>,
  at: EpochMs,
): Changed | Exclude<SignInsChanged, { readonly outcome: 'changed' }> | { readonly outcome: 'unchanged' } {
  const open = invitation && at < invitation.expiresAt ? invitation : undefined
  if ('invite' in change) {
    const next = { hash: change.invite, expiresAt: at + change.forMs }
    return {
      signIns: { invitation: next, ...listed(signIns) },
      action: 'invite',
      before: untilText(open),
      after: untilText(next),
    }
  }
  if ('withdraw' in change) {
    if (!open) return { outcome: 'unchanged' }
    return { signIns: listed(signIns), action: 'uninvite', before: untilText(open), after: '' }
  }
  if ('remove' in change) {
    if (!signIns.includes(change.remove)) return { outcome: 'not-joined' }
    const others = signIns.filter(each => each !== change.remove)
    const kept = { ...(open && { invitation: open }), ...listed(others) }
    return { signIns: kept, before: change.remove, ...withoutAddresses(contacts) }
  }
  // The first answer may have been lost: the same sign-in may repeat the call.
  if (signIns.includes(change.join)) return { outcome: 'unchanged' }
  if (open?.hash !== change.secret) return { outcome: 'not-invited' }
  if (signIns.length >= MOST_SIGN_INS) return { outcome: 'full' }
  return { signIns: { signIns: [...signIns, change.join] }, action: 'join', before: '', after: change.join }
}

/** The notices of an account after somebody left. Its addresses may belong to that person, so they are removed. */
function withoutAddresses({ mail, asked, webhook, ...contacts }: Contacts): Omit<Changed, 'signIns' | 'before'> {
  if (mail === undefined && !asked && !webhook) return { action: 'leave', after: '' }
  return { contacts, action: 'leave', after: 'the addresses for notices are removed' }
}

/** An account that nobody joined has no list: one would raise the schema of the store. */
const listed = (signIns: readonly string[]): SignIns => (signIns.length > 0 ? { signIns } : {})

const untilText = (invitation: Invitation | undefined): string =>
  invitation ? `until ${new Date(invitation.expiresAt).toISOString()}` : ''
