import { type Command, Option } from 'commander'
import { MONTH_FORMS } from '../../policy/billing/month.ts'
import { CommandFailed, exitCodes } from '../../server/failure.ts'
import { recordsCsv } from '../../wire/csv.ts'
import { invoiceCsv, invoiceItems } from '../../wire/invoice/csv.ts'
import { invoiceHtml } from '../../wire/invoice/html.ts'
import type { ShownInvoice } from '../../wire/invoice/shown-invoice.ts'
import type { ShownInvoices } from '../../wire/invoice/shown-invoices.ts'
import { jsonLine } from '../../wire/printable.ts'
import { configOption, monthIn, withOperator } from '../kit/options.ts'
import { writeOut } from '../kit/terminal.ts'
import { invoicesText, invoiceText } from './text.ts'

interface InvoiceOptions {
  readonly config: string
  readonly month?: string
  readonly format: keyof typeof WRITTEN
}

/** Registers `svcctl invoice`. */
export function registerInvoice(program: Command): void {
  program
    .command('invoice')
    .description("print an account's invoice for a month, or list its months")
    .argument('<account>', 'its id or label, or its key')
    .addOption(new Option('--month <month>', `${MONTH_FORMS}; without it, list the last 13 months`).argParser(monthIn))
    .addOption(
      new Option('--format <format>', 'tables, one JSON object, CSV, one JSON object per item, or a page to print')
        .choices(Object.keys(WRITTEN))
        .default('text'),
    )
    .addOption(new Option('--json', 'the same as --format json').implies({ format: 'json' }))
    .addOption(configOption())
    .action((account: string, { month, format, ...options }: InvoiceOptions) =>
      withOperator(options, async operator => {
        if (month !== undefined) return writeOut([WRITTEN[format](await operator.invoice({ account, month }))])
        if (format === 'html') throw new CommandFailed('✗ --format html needs --month', exitCodes.usage)
        return writeOut([LISTED[format](await operator.invoices({ account }))])
      }),
    )
}

const WRITTEN = {
  text: invoiceText,
  json: jsonLine,
  csv: invoiceCsv,
  ndjson: (invoice: ShownInvoice) => invoiceItems(invoice).map(jsonLine).join(''),
  html: invoiceHtml,
} satisfies Readonly<Record<string, (invoice: ShownInvoice) => string>>

const LISTED = {
  text: invoicesText,
  json: jsonLine,
  csv: ({ data }: ShownInvoices) => recordsCsv(data),
  ndjson: ({ data }: ShownInvoices) => data.map(jsonLine).join(''),
} satisfies Readonly<Record<string, (invoices: ShownInvoices) => string>>
