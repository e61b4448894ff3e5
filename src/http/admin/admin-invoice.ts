import { type Denied, invalid } from '../../policy/denial.ts'
import type { ShownInvoice } from '../../wire/invoice/shown-invoice.ts'
import type { ShownInvoices } from '../../wire/invoice/shown-invoices.ts'
import { formatIn, monthIn, readInvoiceFor, readInvoicesFor, sendInvoice } from '../invoices/invoice-answer.ts'
import type { HttpCall } from '../listener/call.ts'
import { readQuery } from '../listener/request-input.ts'
import { UNCACHED } from '../uncached.ts'
import { type AdminContext, accountNamed } from './admin-op.ts'
import type { OperatorApp } from './operator-app.ts'

/** Dependencies of invoices. */
type InvoiceApp = Pick<OperatorApp, 'store' | 'settings' | 'clock' | 'config'>

type InvoiceContext = Pick<AdminContext, 'store' | 'settings' | 'clock'>

/** GET /admin/invoice: what one account is charged for a month, as JSON, CSV or a page to print. */
export async function showInvoice(app: InvoiceApp, call: HttpCall): Promise<void> {
  const query = readQuery(call, ['account', 'month', 'format'])
  if ('denial' in query) return call.deny(query.denial)
  const asked = formatIn(query.format)
  if ('denial' in asked) return call.deny(asked.denial)
  const invoice = await readInvoiceNamed(app, query)
  if ('denial' in invoice) call.deny(invoice.denial)
  else sendInvoice(call, invoice, asked.format)
}

/** GET /admin/invoices: the months of one account that have usage. */
export async function listInvoices(app: InvoiceApp, call: HttpCall): Promise<void> {
  const query = readQuery(call, ['account'])
  const invoices = 'denial' in query ? query : await readInvoicesNamed(app, query)
  if ('denial' in invoices) call.deny(invoices.denial)
  else call.json(200, invoices, UNCACHED)
}

/** The account is named by its id or label, or by its key. */
export async function readInvoiceNamed(
  context: InvoiceContext,
  { account: named, month: text }: { readonly account?: string; readonly month?: string },
): Promise<ShownInvoice | Denied> {
  if (named === undefined) return NAMELESS
  const month = monthIn(text)
  if ('denial' in month) return month
  const account = await accountNamed(context, named)
  return 'denial' in account ? account : readInvoiceFor(context, account, month)
}

/** The account is named by its id or label, or by its key. */
export async function readInvoicesNamed(
  context: InvoiceContext,
  { account: named }: { readonly account?: string },
): Promise<ShownInvoices | Denied> {
  if (named === undefined) return NAMELESS
  const account = await accountNamed(context, named)
  return 'denial' in account ? account : readInvoicesFor(context, account)
}

const NAMELESS = invalid('account', 'is needed')
