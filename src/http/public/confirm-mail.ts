import { confirmationOf, confirmedBy, hashOfConfirmation } from '../../gateway/accounts/contacts.ts'
import { invalid } from '../../policy/denial.ts'
import { type ConfirmLink, confirmPage, confirmStyle } from '../../wire/account/confirm-page.ts'
import { renderDenial } from '../../wire/errors/denial.ts'
import { isForm, readForm } from '../../wire/form.ts'
import type { HttpCall } from '../listener/call.ts'
import { readPieces } from '../listener/request-input.ts'
import { plainPageHeaders } from '../plain-page.ts'
import { UNCACHED } from '../uncached.ts'
import type { ClientApp } from './client-app.ts'

/** Dependencies of the page. */
type ConfirmApp = Pick<ClientApp, 'settings' | 'store' | 'clock'>

const PATH = '/v1/account/notices/confirm'

/** The address of the page that confirms a mail address. */
export const confirmationUrl = (publicUrl: string, token: string): string => `${publicUrl}${PATH}?token=${token}`

/** GET /v1/account/notices/confirm: a page with a button. Programs that open the links of mails confirm nothing by it. */
export async function showConfirmation(app: ConfirmApp, call: HttpCall): Promise<void> {
  const [, query = ''] = (call.request.url ?? '').split('?')
  // Mail services may add parameters of their own to a link.
  answer(app, call, await linkOf(app, readForm(query, ['token'])?.token ?? ''))
}

/** POST /v1/account/notices/confirm: the form of that page. The token proves that its sender reads the mailbox, and works once. */
export async function confirmMail(app: ConfirmApp, call: HttpCall): Promise<void> {
  const pieces = await readPieces(call.request, MOST_FORM_BYTES, undefined, isForm)
  if ('denial' in pieces) {
    const isOther = pieces.denial.code === 'UNSUPPORTED_MEDIA_TYPE'
    return call.deny(isOther ? NO_FORM : pieces.denial)
  }
  const token = readForm(pieces.join().toString(), ['token'])?.token ?? ''
  const link = await linkOf(app, token)
  if (link.state !== 'open') return answer(app, call, link)
  const { account, address } = link
  const change = { confirm: hashOfConfirmation(token) }
  const { outcome } = await app.store.accounts.changeContacts({ account, change, by: account })
  // Another request may have used the token meanwhile.
  answer(app, call, outcome === 'changed' ? { state: 'confirmed', account, address } : { state: 'unknown' })
}

async function linkOf({ store, clock }: ConfirmApp, token: string): Promise<ConfirmLink> {
  const account = confirmedBy(token)
  if (account === undefined) return { state: 'unknown' }
  const record = await store.accounts.find(account)
  const confirmation = confirmationOf(record?.contacts ?? {}, token, clock.now())
  return confirmation.state === 'open' ? { ...confirmation, account, token } : confirmation
}

function answer({ settings }: ConfirmApp, call: HttpCall, link: ConfirmLink): void {
  const { brand, server } = settings
  const page = Buffer.from(confirmPage(link, { brand, consoleUrl: server.consoleUrl }))
  const isRefused = link.state === 'expired' || link.state === 'unknown'
  if (isRefused) call.note.code = NOT_OPEN.code
  const refused = isRefused ? renderDenial(NOT_OPEN, call.terms) : { status: 200, headers: {} }
  call.send(refused.status, 'text/html; charset=utf-8', page, {
    ...refused.headers,
    ...UNCACHED,
    ...plainPageHeaders(confirmStyle, 'self'),
  })
}

const NOT_OPEN = invalid('token', 'is unknown, used or older than 24 hours').denial
const NO_FORM = { code: 'UNSUPPORTED_MEDIA_TYPE', accepts: 'application/x-www-form-urlencoded' } as const

/** A token has some 80 bytes. */
const MOST_FORM_BYTES = 4096
