import { hash } from 'node:crypto'
import type { EpochMs, Millis } from '../../policy/config.ts'
import type { Contacts } from '../../records/account.ts'
import type { AuditRow } from '../../records/audit.ts'
import type { Random } from '../ports.ts'
import type { ContactsChange, ContactsChanged } from '../store/account-store.ts'

/** How long a mail address may be confirmed. */
export const CONFIRMATION_MS: Millis = 86_400_000

/** A token that confirms one mail address: it names its account, so that no index has to. Only its hash is stored. */
export const newConfirmation = (account: string, random: Random): string =>
  `${account}.${Buffer.from(random(TOKEN_BYTES)).toString('base64url')}`

const TOKEN_BYTES = 32

/** The account that a token names; undefined for a text of another form. */
export const confirmedBy = (token: string): string | undefined => CONFIRMATION.exec(token)?.[1]

const CONFIRMATION = /^(acct_[0-9A-Za-z]{1,60})\.[\w-]{43}$/

export const hashOfConfirmation = (token: string): string => hash('sha256', token)

/** The address that a token confirms, or why it confirms none any more. */
export function confirmationOf(
  { asked }: Contacts,
  token: string,
  now: EpochMs,
): { readonly state: 'open'; readonly address: string } | { readonly state: 'expired' | 'unknown' } {
  if (asked?.hash !== hashOfConfirmation(token)) return { state: 'unknown' }
  return now < asked.expiresAt ? { state: 'open', address: asked.mail } : { state: 'expired' }
}

/** A secret as Standard Webhooks writes it. */
export const newSigningSecret = (random: Random): string =>
  `whsec_${Buffer.from(random(SECRET_BYTES)).toString('base64')}`

const SECRET_BYTES = 32

/** The contacts of an account after a change, and what the audit says of it. */
interface Changed extends Pick<AuditRow, 'action' | 'before' | 'after'> {
  readonly contacts: Contacts
}

/** Changes where notices of an account go, or says why that cannot be. `unchanged`: it is so already. */
export function changedContacts(
  contacts: Contacts,
  { change }: Pick<ContactsChange, 'change'>,
  now: EpochMs,
): Changed | Exclude<ContactsChanged, { readonly outcome: 'changed' }> | { readonly outcome: 'unchanged' } {
  const { asked, mail, webhook, at } = contacts
  const isOpen = asked !== undefined && now < asked.expiresAt
  if ('confirm' in change) {
    if (!isOpen || asked.hash !== change.confirm) return { outcome: 'not-asked' }
    return changedTo(contacts, { at, webhook, mail: asked.mail, asked: undefined })
  }
  const next = {
    ...{ at, mail, webhook, asked },
    ...('at' in change && { at: change.at ?? undefined }),
    ...('webhook' in change && { webhook: change.webhook ?? undefined }),
  }
  if (change.mail === undefined) return changedTo(contacts, next)
  if (change.mail === null) return changedTo(contacts, { ...next, mail: undefined, asked: undefined })
  if (change.mail === 'keep') return changedTo(contacts, { ...next, asked: undefined })
  const { address, hash, forMs } = change.mail
  return changedTo(contacts, { ...next, asked: { mail: address, hash, expiresAt: now + forMs } })
}

type Fields = { readonly [Field in keyof Contacts]-?: Contacts[Field] | undefined }

function changedTo(
  before: Contacts,
  { at, mail, asked, webhook }: Fields,
): Changed | { readonly outcome: 'unchanged' } {
  const contacts: Contacts = {
    ...(at && { at }),
    ...(mail !== undefined && { mail }),
    ...(asked && { asked }),
    ...(webhook && { webhook }),
  }
  if (JSON.stringify(contacts) === JSON.stringify(inOrder(before))) return { outcome: 'unchanged' }
  return { contacts, action: 'set-notices', before: contactsText(before), after: contactsText(contacts) }
}

const inOrder = ({ at, mail, asked, webhook }: Contacts): Contacts => ({
  ...(at && { at }),
  ...(mail !== undefined && { mail }),
  ...(asked && { asked }),
  ...(webhook && { webhook }),
})

/** Without what an address may hide in its path or query. */
function contactsText({ at, mail, asked, webhook }: Contacts): string {
  const texts = [
    ...(at ? [at.map(percent => `${percent}%`).join(', ')] : []),
    ...(mail === undefined ? [] : [mail]),
    ...(asked ? [`${asked.mail} (not confirmed)`] : []),
    ...(webhook ? [hostOf(webhook.url)] : []),
  ]
  return texts.join(' · ')
}

/** The host of a webhook, which is what others may see of it. */
const hostOf = (url: string): string => new URL(url).host
