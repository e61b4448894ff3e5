import { invoiceOf } from '../../gateway/accounts/invoice.ts'
import { dayAt } from '../../policy/counters/account-counters.ts'
import { type Denied, invalid } from '../../policy/denial.ts'
import { type ShownInvoice, shownInvoice } from '../../wire/admin/invoice.ts'
import { readMonth } from '../../wire/admin/since.ts'
import type { HttpCall } from '../listener/call.ts'
import { readQuery } from '../listener/request-input.ts'
import { UNCACHED } from '../uncached.ts'
import { type AdminContext, accountNamed } from './admin-op.ts'
import type { OperatorApp } from './operator-app.ts'

/** GET /admin/invoice: what one account is charged for a month. */
export async function showInvoice(app: OperatorApp, call: HttpCall): Promise<void> {
  const query = readQuery(call, ['account', 'month'])
  const invoice = 'denial' in query ? query : await readInvoiceOf(app, query)
  if ('denial' in invoice) call.deny(invoice.denial)
  else call.json(200, invoice, UNCACHED)
}

/** The account is named by its id or label, or by its key. */
export async function readInvoiceOf(
  context: Pick<AdminContext, 'store' | 'settings' | 'clock'>,
  { account: named, month = '' }: { readonly account?: string; readonly month?: string },
): Promise<ShownInvoice | Denied> {
  const { store, settings, clock } = context
  if (named === undefined) return invalid('account', 'is needed')
  const period = readMonth(month)
  if (!period) return invalid('month', 'must be a month such as 2026-10')
  const owner = await accountNamed(context, named)
  if ('denial' in owner) return owner
  const { account, label } = owner
  const days = { since: dayAt(period.since), until: dayAt(period.until) }
  const final = clock.now() >= period.until
  const whose = { account, label, gateway: settings.server.publicUrl, month, final }
  return shownInvoice(whose, await invoiceOf(store.ledger, { account, ...days }))
}
