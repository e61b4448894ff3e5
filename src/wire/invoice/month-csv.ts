import { csvRow } from '../csv.ts'
import { ITEM_FIELDS, itemRows } from './csv.ts'
import type { ShownInvoice } from './shown-invoice.ts'
import { type MonthInvoice, monthInvoice } from './shown-invoices.ts'

type Invoices = AsyncIterable<ShownInvoice>

/** A row for each invoice. */
export async function* invoicesCsv(invoices: Invoices): AsyncGenerator<string, void, undefined> {
  yield csvRow(FIELDS)
  for await (const invoice of invoices) {
    const row = monthInvoice(invoice)
    yield csvRow(FIELDS.map(field => row[field]))
  }
}

/** A row for each item of each invoice, as the CSV of one invoice has them. */
export async function* itemsCsv(invoices: Invoices): AsyncGenerator<string, void, undefined> {
  yield csvRow(ITEM_FIELDS)
  for await (const invoice of invoices) yield itemRows(invoice).map(csvRow).join('')
}

const FIELDS = [
  'account',
  'label',
  'month',
  'number',
  'state',
  'issued_at',
  'requests',
  'cost_nano_usd',
  'usd',
  'amount_usd',
] as const satisfies readonly (keyof MonthInvoice)[]
