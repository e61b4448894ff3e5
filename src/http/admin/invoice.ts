import { allInvoices, pageOfInvoices } from '../../gateway/accounts/month-invoices.ts'
import type { AccountRecord } from '../../gateway/store/account-store.ts'
import { monthAt } from '../../policy/billing/month.ts'
import { type Denied, invalid } from '../../policy/denial.ts'
import type { QueryOf } from '../../wire/admin-api/call.ts'
import type * as calls from '../../wire/admin-api/usage.ts'
import { invoicesCsv, itemsCsv } from '../../wire/invoice/month-csv.ts'
import type { ShownInvoice } from '../../wire/invoice/shown-invoice.ts'
import { monthInvoice, type ShownInvoices, type ShownMonthInvoices } from '../../wire/invoice/shown-invoices.ts'
import { inChunks } from '../../wire/lines.ts'
import { monthIn, readInvoiceFor, readInvoicesFor, sendInvoice } from '../invoices/answer.ts'
import type { HttpCall } from '../listener/call.ts'
import { UNCACHED } from '../uncached.ts'
import type { Asked } from './declared.ts'
import { jsonLines } from './exports.ts'
import { cursorText, readCursor } from './list-accounts.ts'
import { type AdminContext, accountNamed } from './op.ts'
import type { OperatorApp } from './operator-app.ts'
import { sendStream } from './stream-answer.ts'

/** Dependencies of invoices. */
type InvoiceApp = Pick<OperatorApp, 'store' | 'settings' | 'clock' | 'config'>

type InvoiceContext = Pick<AdminContext, 'store' | 'settings' | 'clock' | 'config'>

/** GET /admin/invoice: what one account is charged for a month, as JSON, CSV or a page to print. */
export async function showInvoice(
  app: InvoiceApp,
  { query }: Asked<typeof calls.showInvoice>,
  call: HttpCall,
): Promise<void> {
  const invoice = await readInvoiceNamed(app, query)
  if ('denial' in invoice) call.deny(invoice.denial)
  else sendInvoice(call, invoice, query.format)
}

type InvoicesQuery = QueryOf<typeof calls.listInvoices>

/** GET /admin/invoices: the months of one account that have usage, or the invoices of all accounts for a month. */
export async function listInvoices(
  app: InvoiceApp,
  { query }: Asked<typeof calls.listInvoices>,
  call: HttpCall,
): Promise<void> {
  const { account, month } = query
  if (month !== undefined) return listMonth(app, call, { ...query, month })
  const alone = (['format', 'limit', 'cursor'] as const).find(name => query[name] !== undefined)
  if (alone) return call.deny(invalid(alone, 'goes with month').denial)
  if (account === undefined) return call.deny(invalid('account', 'is required without month').denial)
  const invoices = await readInvoicesNamed(app, { account })
  if ('denial' in invoices) call.deny(invoices.denial)
  else call.json(200, invoices, UNCACHED)
}

/** A page as JSON, or all of them as they are read. */
async function listMonth(
  app: InvoiceApp,
  call: HttpCall,
  query: InvoicesQuery & { readonly month: string },
): Promise<void> {
  if (query.account !== undefined) return call.deny(invalid('account', 'cannot be combined with month here').denial)
  const { format = 'json', month } = query
  if (format === 'json') {
    const page = await readPage(app, month, query)
    return 'denial' in page ? call.deny(page.denial) : call.json(200, page, UNCACHED)
  }
  const ofPage = (['limit', 'cursor'] as const).find(name => query[name] !== undefined)
  if (ofPage) return call.deny(invalid(ofPage, 'goes with format=json').denial)
  const invoices = readInvoicesOf(app, month)
  if ('denial' in invoices) return call.deny(invoices.denial)
  const { type, write } = STREAMS[format]
  await sendStream(call, type, inChunks(write(invoices)))
}

const STREAMS = {
  ndjson: { type: 'application/x-ndjson', write: jsonLines },
  csv: { type: 'text/csv; charset=utf-8', write: invoicesCsv },
  lines: { type: 'text/csv; charset=utf-8', write: itemsCsv },
} as const

async function readPage(
  app: InvoiceApp,
  text: string,
  { limit = 50, cursor }: InvoicesQuery,
): Promise<ShownMonthInvoices | Denied> {
  const month = monthIn(text, app)
  if ('denial' in month) return month
  const after = cursor === undefined ? undefined : readCursor('label', cursor)
  if (cursor !== undefined && !after) return invalid('cursor', 'must be the cursor of another page')
  const { accounts } = app.store
  const read = (account: AccountRecord) => readInvoiceFor(app, account, month, true)
  const query = { month, limit, ...(after && { after }) }
  const { invoices, next } = await pageOfInvoices(accounts, app.config, query, read)
  return {
    object: 'list',
    month: month.month,
    running_month: monthAt(app.clock.now(), app.config.calendar).month,
    data: invoices.map(monthInvoice),
    has_more: next !== undefined,
    next: next ? cursorText('label', next) : null,
  }
}

/** The invoices of all accounts for a month such as `2026-10`, in no order. */
export function readInvoicesOf(context: InvoiceContext, text: string): AsyncIterable<ShownInvoice> | Denied {
  const month = monthIn(text, context)
  if ('denial' in month) return month
  return allInvoices(context.store.accounts, month, account => readInvoiceFor(context, account, month))
}

/** The account is named by its id or label, or by its key. */
export async function readInvoiceNamed(
  context: InvoiceContext,
  { account: named, month: text }: { readonly account: string; readonly month: string },
): Promise<ShownInvoice | Denied> {
  const month = monthIn(text, context)
  if ('denial' in month) return month
  const account = await accountNamed(context, named)
  return 'denial' in account ? account : readInvoiceFor(context, account, month)
}

/** The account is named by its id or label, or by its key. */
export async function readInvoicesNamed(
  context: InvoiceContext,
  { account: named }: { readonly account: string },
): Promise<ShownInvoices | Denied> {
  const account = await accountNamed(context, named)
  return 'denial' in account ? account : readInvoicesFor(context, account)
}
