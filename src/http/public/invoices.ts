import type { Identified } from '../../gateway/accounts/identified.ts'
import { formatIn, monthIn, readInvoiceFor, readInvoicesFor, sendInvoice } from '../invoices/answer.ts'
import type { HttpCall } from '../listener/call.ts'
import { readQuery } from '../listener/request-input.ts'
import { UNCACHED } from '../uncached.ts'
import type { ClientApp } from './client-app.ts'
import { splitting } from './splitting.ts'

/** Dependencies of showing invoices. */
type InvoicesApp = Pick<ClientApp, 'store' | 'settings' | 'clock' | 'config'>

/** GET /billing/invoices: the months of the caller's account, or the invoice of one, as JSON, CSV or a page to print. */
export async function showInvoices(app: InvoicesApp, call: HttpCall, { caller }: Identified): Promise<void> {
  const query = readQuery(call, ['month', 'format'])
  if ('denial' in query) return call.deny(query.denial)
  const asked = formatIn(query.format)
  if ('denial' in asked) return call.deny(asked.denial)
  const isList = query.month === undefined && asked.format === 'json'
  const month = isList ? undefined : monthIn(query.month, app)
  if (month && 'denial' in month) return call.deny(month.denial)
  const send = async () => {
    const account = await app.store.accounts.find(caller.account)
    if (!account) throw new Error(`there is no account ${caller.account}`)
    if (month) sendInvoice(call, await readInvoiceFor(app, account, month), asked.format)
    else call.json(200, await readInvoicesFor(app, account), UNCACHED)
  }
  return app.config.labels.size === 0 ? send() : splitting(app, call, caller, send)
}
