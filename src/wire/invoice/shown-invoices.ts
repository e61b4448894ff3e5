import type { Amount, ShownInvoice } from './shown-invoice.ts'

/** The invoices of an account, newest month first. */
export interface ShownInvoices {
  readonly object: 'list'
  readonly account: string
  readonly label: string
  readonly data: readonly InvoiceSummary[]
}

/** One month of the list; the amounts are those of its invoice. */
export interface InvoiceSummary extends Amount, Pick<ShownInvoice, 'month' | 'number' | 'state' | 'issued_at'> {
  readonly requests: number
}

export const shownInvoices = (
  { account, label }: Pick<ShownInvoices, 'account' | 'label'>,
  invoices: readonly ShownInvoice[],
): ShownInvoices => ({
  object: 'list',
  account,
  label,
  data: invoices.map(summaryOf),
})

/** The invoices of a month, a page at a time. */
export interface ShownMonthInvoices {
  readonly object: 'list'
  readonly month: string
  /** By the labels of their accounts. */
  readonly data: readonly MonthInvoice[]
  readonly has_more: boolean
  /** The `cursor` of the next page; null where there is none. */
  readonly next: string | null
}

/** One account of the list. */
export interface MonthInvoice extends Pick<ShownInvoice, 'account' | 'label'>, InvoiceSummary {}

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
