import { fixed, flag, list, orNull, record, type TypeOf, text, whole } from '../schema/schema.ts'
import { INVOICE_AMOUNT, INVOICE_HEAD, type ShownInvoice } from './shown-invoice.ts'

const SUMMARY = record(
  { ...INVOICE_HEAD, requests: whole(), ...INVOICE_AMOUNT },
  'InvoiceSummary',
  'One month, with the amounts of its invoice.',
)

export interface InvoiceSummary extends TypeOf<typeof SUMMARY> {}

/** The invoices of an account, newest month first. */
export const INVOICES = record(
  { object: fixed('list'), account: text(), label: text(), data: list(SUMMARY, 'Newest month first.') },
  'Invoices',
)

export interface ShownInvoices extends TypeOf<typeof INVOICES> {}

export const shownInvoices = (
  { account, label }: Pick<ShownInvoices, 'account' | 'label'>,
  invoices: readonly ShownInvoice[],
): ShownInvoices => ({
  object: 'list',
  account,
  label,
  data: invoices.map(summaryOf),
})

/** One account of a month. */
const MONTH_INVOICE = record(
  { account: text(), label: text('The label of the account.'), ...SUMMARY.fields },
  'MonthInvoice',
)

export interface MonthInvoice extends TypeOf<typeof MONTH_INVOICE> {}

/** The invoices of a month, a page at a time. */
export const MONTH_INVOICES = record(
  {
    object: fixed('list'),
    month: text(),
    running_month: text('The month that runs, by `zone` and `fiscal_month_starts`.'),
    data: list(MONTH_INVOICE, 'In the order of account labels.'),
    has_more: flag(),
    next: orNull(text('The `cursor` of the next page; null on the last one.')),
  },
  'MonthInvoices',
)

export interface ShownMonthInvoices extends TypeOf<typeof MONTH_INVOICES> {}

export const monthInvoice = (invoice: ShownInvoice): MonthInvoice => ({
  account: invoice.account,
  label: invoice.label,
  ...summaryOf(invoice),
})

const summaryOf = ({ month, number, state, issued_at, total, amount }: ShownInvoice): InvoiceSummary => ({
  ...{ month, number, state, issued_at },
  requests: total.requests,
  ...amount,
})
