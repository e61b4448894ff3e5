import type { AccountNotices } from '../../wire/account/own-notices.ts'
import { oneLine } from '../../wire/printable.ts'
import { withOperator } from '../kit/options.ts'
import { writeJson, writeOut } from '../kit/terminal.ts'
import type { ContactsOptions } from './notices.ts'

/** Shows where notices of an account go, or removes one of its addresses. */
export const contacts = (named: string, options: ContactsOptions): Promise<void> =>
  withOperator(options, async operator => {
    const { remove } = options
    const found =
      remove === undefined ? await operator.showContacts(named) : await operator.removeContact(named, remove)
    await (options.json ? writeJson(found) : writeOut([`${contactsText(found)}\n`]))
  })

/** A line for each way to an account. */
export function contactsText({ account, label, offered, at, mail, webhook }: AccountNotices): string {
  const owner = label === account ? account : `${account} (${label})`
  const asked = mail.unconfirmed === null ? '' : ` (${mail.unconfirmed} is not confirmed yet)`
  const lines = [
    ['account', owner],
    ['hears at', offered.length === 0 ? '- (customer_notices is not configured)' : percentsText(at)],
    ['mail', `${mail.address ?? '-'}${asked}`],
    ['webhook', webhook.host ?? '-'],
  ] as const
  return lines.map(([name, text]) => `${name.padEnd(10)}${oneLine(text)}`).join('\n')
}

const percentsText = (at: readonly number[]): string =>
  at.length === 0 ? 'no percentage' : at.map(percent => `${percent}%`).join(', ')
