import { type MailServer, MailTarget, sendMail } from '../adapters/notices/mail.ts'
import type { Settings } from '../config/settings.ts'
import { NoticeRefused, type Target } from '../gateway/notices/lane.ts'
import type { Alarm } from '../gateway/ports.ts'
import type { SendConfirmation } from '../http/public/client-app.ts'

/** The mail server by which customers get mail; undefined where the files offer none. */
function serverOf({ noticeTargets, customerNotices }: Settings): MailServer | undefined {
  const target = customerNotices?.mail === undefined ? undefined : noticeTargets.get(customerNotices.mail)
  return target?.kind === 'mail' ? { ...target, password: () => target.password?.reveal() } : undefined
}

const PATH = '/v1/account/notices'

/** Mail to the address that a customer confirmed; undefined where the files offer none. */
export function ownMail(settings: Settings, address: () => Promise<string | undefined>): Target | undefined {
  const server = serverOf(settings)
  if (!server) return undefined
  const { publicUrl, consoleUrl } = settings.server
  const place = consoleUrl === `${publicUrl}/console` ? `${consoleUrl}/billing` : (consoleUrl ?? `${publicUrl}${PATH}`)
  const footer = `Change or end these notices: ${place}`
  return {
    send: async letters => {
      const to = await address()
      if (to === undefined) throw new NoticeRefused('the account has no mail address', { isFinal: true })
      // The one address is refused or not: there are no others to report.
      await new MailTarget({ ...server, footer, to: [to], digest: 0 }, settings.brand, () => {}).send(letters)
    },
  }
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
      if (error instanceof NoticeRefused) return 'refused'
      const target = settings.customerNotices?.mail
      alarm('a mail that confirms an address of a customer cannot be sent', { target, error: String(error) })
      return 'away'
    }
  }
