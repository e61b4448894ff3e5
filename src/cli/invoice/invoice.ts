import { type Command, Option } from 'commander'
import type { ShownInvoice } from '../../wire/admin/invoice.ts'
import { jsonLine } from '../../wire/printable.ts'
import { configOption, monthIn, withOperator } from '../kit/options.ts'
import { writeOut } from '../kit/terminal.ts'
import { invoiceHtml } from './invoice-html.ts'
import { invoiceCsv, invoiceItems, invoiceText } from './invoice-text.ts'

interface InvoiceOptions {
  readonly config: string
  readonly month: string
  readonly format: keyof typeof WRITTEN
}

/** Registers `svcctl invoice`. */
export function registerInvoice(program: Command): void {
  program
    .command('invoice')
    .description('write what an account is charged for a month: by model, hosted tool and day, and in all')
    .argument('<account>', 'its id or label, or its key')
    .addOption(new Option('--month <month>', 'the UTC month, such as 2026-10').argParser(monthIn).makeOptionMandatory())
    .addOption(
      new Option('--format <format>', 'tables, one JSON object, CSV, a JSON object an item, or a page to print')
        .choices(Object.keys(WRITTEN))
        .default('text'),
    )
    .addOption(new Option('--json', 'the same as --format json').implies({ format: 'json' }))
    .addOption(configOption())
    .action((account: string, { month, format, ...options }: InvoiceOptions) =>
      withOperator(options, async operator => writeOut([WRITTEN[format](await operator.invoice({ account, month }))])),
    )
}

const WRITTEN = {
  text: invoiceText,
  json: jsonLine,
  csv: invoiceCsv,
  ndjson: (invoice: ShownInvoice) => invoiceItems(invoice).map(jsonLine).join(''),
  html: invoiceHtml,
} satisfies Readonly<Record<string, (invoice: ShownInvoice) => string>>
