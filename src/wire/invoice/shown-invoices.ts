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
  data: invoices.map(({ month, number, state, issued_at, total, amount }) => ({
    ...{ month, number, state, issued_at },
    requests: total.requests,
    ...amount,
  })),
})
