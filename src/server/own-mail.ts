import { isOfRecipient, type MailServer, MailTarget, sendMail } from '../adapters/notices/mail.ts'
import type { Settings } from '../config/settings.ts'
import { CUSTOMER_MAIL } from '../gateway/notices/customers.ts'
import { NoticeRefused, type Target } from '../gateway/notices/lane.ts'
import type { Alarm } from '../gateway/ports.ts'
import type { SendConfirmation } from '../http/public/client-app.ts'
import type { Millis } from '../policy/config.ts'

/** The mail server by which customers get mail; undefined where the files offer none. */
function serverOf(settings: Settings): MailServer | undefined {
  const target = mailTargetOf(settings)
  return target && { ...target, password: () => target.password?.reveal() }
}

function mailTargetOf({ noticeTargets, customerNotices }: Settings) {
  const target = customerNotices?.mail === undefined ? undefined : noticeTargets.get(customerNotices.mail)
  return target?.kind === 'mail' ? target : undefined
}

/** How long notices are gathered for a mail to one customer: as for the target by whose server it goes. */
export function ownMailDigest(settings: Settings): Millis | undefined {
  const { digest = 0 } = mailTargetOf(settings) ?? {}
  return digest > 0 ? digest : undefined
}

const PATH = '/v1/account/notices'

/** Mail to the address that a customer confirmed; undefined where the files offer none. */
export function ownMail(settings: Settings, address: () => Promise<string | undefined>): Target | undefined {
  const server = serverOf(settings)
  if (!server) return undefined
  const footer = footerOf(settings.server)
  return {
    send: async letters => {
      const to = await address()
      if (to === undefined)
        throw new NoticeRefused('the account has no mail address', { isFinal: true, isOfRecipient: true })
      // The one address is refused or not: there are no others to report.
      const target = new MailTarget({ ...server, footer, to: [to], digest: 0 }, settings.brand, () => {})
      await target.send(letters).catch(error => {
        throw isOfRecipient(error) ? new NoticeRefused(error.message, { isOfRecipient: true, cause: error }) : error
      })
    },
  }
}

/** How its reader changes or ends the notices: in the console, or without one by a command. */
function footerOf({ publicUrl, consoleUrl }: Settings['server']): string {
  if (consoleUrl !== undefined)
    return `Change or end these notices: ${consoleUrl === `${publicUrl}/console` ? `${consoleUrl}/billing` : consoleUrl}`
  return `To end these notices, ask the operator of ${publicUrl}, or run this with the access token of your sign-in as TOKEN:
curl ${publicUrl}${PATH} -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '{"mail":null}'`
}

/** Sends the mail by which a customer confirms an address. The mail server's errors go to the operator only, because they may name internal hosts. */
export const confirmationsOf =
  (settings: Settings, alarm: Alarm): SendConfirmation =>
  async ({ to, subject, text }) => {
    const server = serverOf(settings)
    if (!server) return 'refused'
    try {
      const rejected = await sendMail(server, { to: [to], subject: `[${settings.brand}] ${subject}`, text })
      return rejected.length > 0 ? 'refused' : 'taken'
    } catch (error) {
      const outcome = error instanceof NoticeRefused ? 'refused' : 'away'
      // An address is its owner's affair; a server that takes no mail, or not this text, is the operator's.
      if (!isOfRecipient(error))
        alarm('a mail that confirms an address of a customer cannot be sent', {
          target: CUSTOMER_MAIL,
          server: settings.customerNotices?.mail,
          error: String(error),
        })
      return outcome
    }
  }
