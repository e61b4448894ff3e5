import { hash } from 'node:crypto'
import { isIP } from 'node:net'
import {
  CONFIRMATION_MS,
  hashOfConfirmation,
  newConfirmation,
  newSigningSecret,
} from '../../gateway/accounts/contacts.ts'
import { isPublicAddress } from '../../gateway/accounts/public-address.ts'
import type { AskedMail, ContactsChanged } from '../../gateway/store/account-store.ts'
import { parseUrl } from '../../kit/parse-url.ts'
import type { Millis } from '../../policy/config.ts'
import { type Denied, invalid, type SignInsDenial } from '../../policy/denial.ts'
import type { Caller } from '../../policy/facts.ts'
import type { Contacts } from '../../records/account.ts'
import { OWN_NOTICES_CHANGE, ownNotices } from '../../wire/account/own-notices.ts'
import { validator } from '../../wire/openai/validate.ts'
import { checkOf } from '../../wire/schema/json-schema.ts'
import type { TypeOf } from '../../wire/schema/schema.ts'
import type { HttpCall } from '../listener/call.ts'
import { readSmall } from '../listener/request-input.ts'
import { UNCACHED } from '../uncached.ts'
import type { ClientApp } from './client-app.ts'
import { confirmationUrl } from './confirm-mail.ts'

/** Dependencies of the endpoints. */
type NoticesApp = Pick<ClientApp, 'settings' | 'store' | 'clock' | 'random' | 'mail'>

type Wish = TypeOf<typeof OWN_NOTICES_CHANGE>

const check = validator(checkOf(OWN_NOTICES_CHANGE))

/** GET /v1/account/notices: where notices of the account go, and what the operator offers. */
export async function showOwnNotices(app: NoticesApp, call: HttpCall, { account }: Caller): Promise<void> {
  const record = await app.store.accounts.find(account)
  call.json(200, ownNotices(record?.contacts ?? {}, app.settings.customerNotices, app.clock.now()), UNCACHED)
}

/** POST /v1/account/notices: percentages, a mail address that has to be confirmed, and a webhook. Each is changed where the body has it. */
export async function changeOwnNotices(app: NoticesApp, call: HttpCall, { account }: Caller): Promise<void> {
  const read = await readSmall(call, check)
  if ('denial' in read) return call.deny(read.denial)
  const wish = read.body as unknown as Wish
  const wrong = wrongIn(wish, app.settings.customerNotices)
  if (wrong) return call.deny(wrong.denial)
  const { at, webhook } = wish
  const tooOften = await countOne(app, account)
  if (tooOften) return call.deny(tooOften.denial)
  const mail = await wishedMail(app, account, wish.mail)
  if (mail && typeof mail === 'object' && 'denial' in mail) return call.deny(mail.denial)
  const secret = typeof webhook === 'string' ? newSigningSecret(app.random) : null
  const change = {
    ...(at !== undefined && { at: at && [...new Set(at)].sort((a, b) => a - b) }),
    ...(mail !== undefined && { mail }),
    ...(webhook !== undefined && { webhook: webhook === null || secret === null ? null : { url: webhook, secret } }),
  }
  const contacts = contactsIn(await app.store.accounts.changeContacts({ account, change, by: account }))
  call.json(200, ownNotices(contacts, app.settings.customerNotices, app.clock.now(), secret), UNCACHED)
}

/** The change of the mail address. The confirmed one needs no second confirmation: it withdraws one that was to replace it. */
async function wishedMail(app: NoticesApp, account: string, mail: Wish['mail']): Promise<WishedMail | Denied> {
  if (typeof mail !== 'string') return mail
  const record = await app.store.accounts.find(account)
  if (mail === record?.contacts?.mail) return 'keep'
  return (await countMail(app, account, mail)) ?? askForMail(app, account, mail)
}

type WishedMail = AskedMail | 'keep' | null | undefined

function contactsIn(changed: ContactsChanged): Contacts {
  if (changed.outcome !== 'changed')
    throw new Error(`the notices of an account could not be changed: ${changed.outcome}`)
  return changed.record.contacts ?? {}
}

/** Refuses a choice that the operator does not offer, or a URL that can be no webhook. */
function wrongIn({ at, mail, webhook }: Wish, offer: NoticesApp['settings']['customerNotices']): Denied | undefined {
  const other = at?.find(percent => !offer?.at.includes(percent))
  if (other !== undefined)
    return invalid(
      'at',
      offer
        ? `must be among ${offer.at.join(', ')}, which the operator offers; ${other} is not`
        : 'is not offered by the operator',
    )
  if (typeof mail === 'string' && offer?.mail === undefined) return invalid('mail', 'is not offered by the operator')
  if (typeof webhook !== 'string') return undefined
  if (!offer?.webhooks) return invalid('webhook', 'is not offered by the operator')
  return wrongWebhook(webhook)
}

/** A URL that can never work is refused at once; its address is checked with each notice. */
function wrongWebhook(text: string): Denied | undefined {
  const url = parseUrl(text)
  if (url?.protocol !== 'https:') return invalid('webhook', 'must be a URL with https')
  if (url.port !== '') return invalid('webhook', 'must be on port 443')
  if (url.username !== '' || url.password !== '' || url.hash !== '')
    return invalid('webhook', 'must have no user, password or fragment')
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const isInside = isIP(host) === 0 ? !host.includes('.') : !isPublicAddress(host)
  return isInside ? invalid('webhook', 'must have a host on the public internet') : undefined
}

async function countOne(
  { store }: Pick<NoticesApp, 'store'>,
  account: string,
): Promise<Denied<SignInsDenial> | undefined> {
  const limit = CHANGES_PER_HOUR
  const retryAfterMs = await store.accounts.countEvent([{ name: `notices:${account}`, limit }], HOUR_MS)
  if (retryAfterMs === 0) return undefined
  return { denial: { code: 'rate_limit_exceeded', type: 'requests', of: 'notices', limit, retryAfterMs } }
}

/** Mails are counted by account and by address: nobody is to be flooded by way of many accounts. */
async function countMail(
  { store }: Pick<NoticesApp, 'store'>,
  account: string,
  address: string,
): Promise<Denied<SignInsDenial> | undefined> {
  const limit = MAILS_PER_DAY
  const retryAfterMs = await store.accounts.countEvent(
    [
      { name: `notice-mail:${account}`, limit },
      { name: `notice-mail-to:${hash('sha256', address.toLowerCase()).slice(0, 32)}`, limit },
    ],
    DAY_MS,
  )
  if (retryAfterMs === 0) return undefined
  return { denial: { code: 'rate_limit_exceeded', type: 'requests', of: 'mails', limit, retryAfterMs } }
}

/** Sends the link that confirms an address. Nothing of a change is stored unless the mail server takes it. */
async function askForMail(app: NoticesApp, account: string, address: string): Promise<AskedMail | Denied> {
  const token = newConfirmation(account, app.random)
  const mail = { to: address, subject: 'Confirm this address for notices', text: mailText(app, account, token) }
  switch (await app.mail(mail)) {
    case 'taken':
      return { address, hash: hashOfConfirmation(token), forMs: CONFIRMATION_MS }
    case 'refused':
      return invalid('mail', 'is refused by the mail server')
    case 'away':
      return invalid('mail', 'cannot be confirmed at the moment: the mail server does not answer. Try again later')
  }
}

const mailText = ({ settings: { server } }: NoticesApp, account: string, token: string): string =>
  `Account ${account} wants to send notices about its limits to this address. Open this link to confirm it:\n\n${confirmationUrl(server.publicUrl, token)}\n\nThe link works for 24 hours. If you did not ask for it, ignore this mail: an address gets no notices until it is confirmed.\n`

const CHANGES_PER_HOUR = 30
const HOUR_MS: Millis = 3_600_000
const MAILS_PER_DAY = 5
const DAY_MS: Millis = 86_400_000
