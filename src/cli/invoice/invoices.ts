import { type Command, Option } from 'commander'
import type { OperatorApi } from '../../operator/api.ts'
import { MONTH_FORMS } from '../../policy/billing/month.ts'
import { CommandFailed, exitCodes } from '../../server/failure.ts'
import { invoiceItems } from '../../wire/invoice/csv.ts'
import { invoicesCsv, itemsCsv } from '../../wire/invoice/month-csv.ts'
import type { ShownInvoice } from '../../wire/invoice/shown-invoice.ts'
import { type MonthInvoice, monthInvoice } from '../../wire/invoice/shown-invoices.ts'
import { jsonLine } from '../../wire/printable.ts'
import { type Format, type FormatOptions, formatOf } from '../kit/formats.ts'
import { type Limited, limitOption, listing, monthIn, tellLeftOut, withOperator } from '../kit/options.ts'
import { writeJson, writeOut } from '../kit/terminal.ts'
import { monthInvoicesText } from './text.ts'

interface InvoicesOptions extends FormatOptions, Limited {
  readonly config: string
  readonly month: string
  readonly lines?: boolean
}

/** Registers `svcctl invoices`. */
export function registerInvoices(program: Command): void {
  const invoices = program
    .command('invoices')
    .description('list the invoices of all accounts for a month, issued ones and drafts')
    .addOption(new Option('--month <month>', MONTH_FORMS).argParser(monthIn).makeOptionMandatory())
    .option('--lines', 'every line of every invoice, as CSV or JSON lines')
    .addOption(limitOption('the first accounts'))
  listing(invoices).action((options: InvoicesOptions) => {
    const format = formatOf(options)
    if (options.lines && format !== 'csv' && format !== 'ndjson')
      throw new CommandFailed('✗ --lines needs --format csv or --format ndjson', exitCodes.usage)
    return withOperator(options, operator => write(operator, options, format))
  })
}

async function write(operator: OperatorApi, { month, lines, limit }: InvoicesOptions, format: Format): Promise<void> {
  const all = operator.monthInvoices({ month })
  const invoices = firstOf(all, limit)
  if (format === 'csv') return writeOut(lines ? itemsCsv(invoices) : invoicesCsv(invoices))
  if (format === 'ndjson')
    return writeOut(jsonLines(invoices, lines ? invoiceItems : invoice => [monthInvoice(invoice)]))
  const data: MonthInvoice[] = []
  for await (const invoice of all) data.push(monthInvoice(invoice))
  data.sort((a, b) => (a.label < b.label ? -1 : 1))
  tellLeftOut(data.length, limit)
  data.splice(limit ?? data.length)
  if (format === 'json') {
    const named = data[0]?.month ?? (await operator.monthNamed({ month }))
    return writeJson({ object: 'list', month: named, data })
  }
  return writeOut([monthInvoicesText(data)])
}

async function* jsonLines(
  invoices: AsyncIterable<ShownInvoice>,
  rowsOf: (invoice: ShownInvoice) => readonly object[],
): AsyncGenerator<string, void, undefined> {
  for await (const invoice of invoices) yield rowsOf(invoice).map(jsonLine).join('')
}

/** The first invoices of a stream. Says on stderr how many were left out. */
async function* firstOf(
  invoices: AsyncIterable<ShownInvoice>,
  limit: number | undefined,
): AsyncGenerator<ShownInvoice, void, undefined> {
  let count = 0
  for await (const invoice of invoices) if (limit === undefined || ++count <= limit) yield invoice
  tellLeftOut(count, limit)
}
