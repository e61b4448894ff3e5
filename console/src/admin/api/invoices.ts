import type { ShownInvoice } from '../../../../src/wire/invoice/shown-invoice.ts'
import type { ShownInvoices, ShownMonthInvoices } from '../../../../src/wire/invoice/shown-invoices.ts'
import { ask, askResponse } from '../../shared/api.ts'

/** A page of the invoices of all accounts for a month. A page of accounts without usage is passed over. */
export async function listMonth(month: string, cursor?: string): Promise<ShownMonthInvoices> {
  const words = new URLSearchParams({ month, ...(cursor !== undefined && { cursor }) })
  const page = await ask<ShownMonthInvoices>(`/admin/invoices?${words}`)
  return page.data.length === 0 && page.next !== null ? listMonth(month, page.next) : page
}

/** The months of an account that have usage. */
export const listMonths = (account: string) => ask<ShownInvoices>(`/admin/invoices?${new URLSearchParams({ account })}`)

/** Where one invoice is read. */
export const pathOfInvoice = (account: string, month: string): string =>
  `/admin/invoice?${new URLSearchParams({ account, month })}`

export const readInvoice = (account: string, month: string) => ask<ShownInvoice>(pathOfInvoice(account, month))

/** All invoices of a month as CSV: a row for each, or for each of their lines. */
export async function readCsv(month: string, format: 'csv' | 'lines'): Promise<string> {
  const path = `/admin/invoices?${new URLSearchParams({ month, format })}`
  return (await askResponse(path, undefined, new AbortController().signal)).text()
}
