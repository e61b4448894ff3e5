import type { EpochMs } from '../../policy/config.ts'
import type { AccountState, Contacts } from '../../records/account.ts'
import { closed, flag, list, moment, optional, orNull, record, type TypeOf, text, whole } from '../schema/schema.ts'

const MAIL_ADDRESS =
  "^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)+$"

/**
 * A change of where notices of an account go: null takes back what was chosen, and what is absent stays. The confirmed mail
 * address withdraws one that was to replace it.
 */
export const OWN_NOTICES_CHANGE = closed({
  at: optional(orNull(list(whole(), undefined, { least: 1, most: 10 }))),
  mail: optional(
    orNull(
      text(undefined, { most: 254, pattern: MAIL_ADDRESS, rule: 'must be a mail address such as ada@example.com' }),
    ),
  ),
  webhook: optional(orNull(text(undefined, { most: 500 }))),
})

const CHOICES = {
  offered: list(whole(), 'The percentages to choose from; empty where the operator offers no notices.'),
  at: list(whole(), 'The percentages of a limit at which the account hears of it.'),
  mail: record({
    offered: flag(),
    address: orNull(text('The confirmed address.')),
    unconfirmed: orNull(text('An address that waits for its confirmation.')),
    until: orNull(moment('When the mail to it no longer confirms it.')),
  }),
}

/** Where notices of an account go, as operators see it. */
export const ACCOUNT_NOTICES = record(
  {
    ...{ account: text(), label: text(), ...CHOICES },
    webhook: record({
      offered: flag(),
      host: orNull(text('The host of its URL, whose path and query may be secrets of the customer.')),
    }),
  },
  'AccountNotices',
  'Where notices of an account go, by its own choice.',
)

export interface AccountNotices extends TypeOf<typeof ACCOUNT_NOTICES> {}

/** Where notices of the account go, and what the operator offers. */
const OWN_NOTICES = record({
  ...CHOICES,
  webhook: record({ offered: flag(), url: orNull(text()) }),
  secret: orNull(text('Signs the notices of a new webhook, shown once; null in every other answer.')),
})

export interface OwnNotices extends TypeOf<typeof OWN_NOTICES> {
  readonly object: 'notices'
}

/** The offer of the files to customers. */
interface Offer {
  readonly at: readonly number[]
  readonly mail?: string
  readonly webhooks: boolean
}

export const ownNotices = (
  contacts: Contacts,
  offer: Offer | undefined,
  now: EpochMs,
  secret: string | null = null,
): OwnNotices => {
  const webhook = { offered: offer?.webhooks ?? false, url: contacts.webhook?.url ?? null }
  return { object: 'notices', ...choicesOf(contacts, offer, now), webhook, secret }
}

export const accountNotices = (
  { account, label, contacts = {} }: Pick<AccountState, 'account' | 'label' | 'contacts'>,
  offer: Offer | undefined,
  now: EpochMs,
): AccountNotices => {
  const host = contacts.webhook ? new URL(contacts.webhook.url).host : null
  return { account, label, ...choicesOf(contacts, offer, now), webhook: { offered: offer?.webhooks ?? false, host } }
}

function choicesOf({ at, mail, asked }: Contacts, offer: Offer | undefined, now: EpochMs) {
  const open = asked && now < asked.expiresAt ? asked : undefined
  const offered = offer?.at ?? []
  return {
    offered,
    at: at ? offered.filter(percent => at.includes(percent)) : offered,
    mail: {
      offered: offer?.mail !== undefined,
      address: mail ?? null,
      unconfirmed: open?.mail ?? null,
      until: open ? new Date(open.expiresAt).toISOString() : null,
    },
  }
}
