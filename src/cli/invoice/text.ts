import { addNanoUsd, ZERO_USD } from '../../policy/nano-usd.ts'
import type { InvoiceItem, ShownInvoice, ShownLine } from '../../wire/invoice/shown-invoice.ts'
import type { MonthInvoice, ShownInvoices } from '../../wire/invoice/shown-invoices.ts'
import {
  coverageRows,
  FORECAST_METHOD,
  KIND_WORDS,
  lateRows,
  monthText,
  periodText,
  roundingText,
  savedText,
  stateText,
  unitText,
} from '../../wire/invoice/words.ts'
import { dollars, readUsdText, usdText } from '../../wire/money.ts'
import { oneLine } from '../../wire/printable.ts'
import { alignPoints, type Column, foldedText, table, tableText } from '../kit/table.ts'

/** An invoice as people read it: lines, tools where there are any, days, the sum of all, and how it is covered. */
export function invoiceText(invoice: ShownInvoice): string {
  const { number, account, label, gateway, seller, plans, lines, tools, days, by_label = [] } = invoice
  const what = `Invoice ${number} for ${monthText(invoice)}: ${oneLine(label)} (${account})`
  const of = [plans.length === 0 ? '' : `plan ${plans.join(', then ')}`, gateway, periodText(invoice)]
    .filter(Boolean)
    .join(' · ')
  const state = stateText(invoice) ?? (invoice.issued_at ? `Issued ${invoice.issued_at.slice(0, 10)}` : undefined)
  const head = [what, ...(seller === null ? [] : [`from ${oneLine(seller.name)}`]), of, ...(state ? [state] : [])]
  const parts = [
    lines.length === 0 ? 'Nothing was charged.\n' : lineTable(lines),
    tools.length === 0
      ? ''
      : amountTable(
          [
            { title: 'HOSTED TOOL', least: 10 },
            { title: 'CALLS', number: true },
          ],
          tools.map(({ name, calls, amount_usd }) => [name, String(calls), amount_usd]),
        ),
    days.length === 0 ? '' : usageTable({ title: 'DAY' }, days),
    ...by_label.map(({ label: by, values }) => usageTable({ title: by.toUpperCase(), least: 10 }, values)),
    `${table(sumRows(invoice))}\n`,
    savedText(invoice) === undefined ? '' : `${foldedText(savedText(invoice) ?? '')}\n`,
    `${foldedText([...forecastLines(invoice), roundingText(invoice)].join('\n'))}\n`,
  ]
  return [`${foldedText(head.join('\n'))}\n`, ...parts.filter(Boolean)].join('\n')
}

const usageTable = (column: Column, items: readonly InvoiceItem[]): string =>
  amountTable(
    [column, { title: 'REQUESTS', number: true }],
    items.map(({ name, requests, amount_usd }) => [name, String(requests), amount_usd]),
  )

function sumRows(invoice: ShownInvoice): readonly (readonly string[])[] {
  const { tools, total, late, amount } = invoice
  const ofMonth = `Usage of ${tools.length === 0 ? 'all models' : 'models and tools'}`
  const ofMonths = [[ofMonth, total.amount_usd], ...lateRows(invoice).map(([name, each]) => [name, each.amount_usd])]
  const rows = [...(late.length === 0 ? [] : ofMonths), ['Total', amount.amount_usd], ...coverageRows(invoice)]
  return rows.map(([name = '', usd = '']) => [name, dollars(usd)])
}

const forecastLines = ({ forecast }: ShownInvoice): readonly string[] =>
  forecast ? [`Forecast of the month: ${dollars(forecast.amount_usd)}. ${FORECAST_METHOD}`] : []

const lineTable = (lines: readonly ShownLine[]): string =>
  amountTable(
    [
      { title: 'MODEL', least: 10, whole: true },
      { title: 'CHARGED FOR', least: 12 },
      { title: 'QUANTITY', number: true },
      { title: 'UNIT PRICE', number: true },
    ],
    lines.map(line => [
      line.model,
      KIND_WORDS[line.kind],
      line.quantity === null ? '' : String(line.quantity),
      unitText(line),
      line.amount_usd,
    ]),
  )

/** A table whose last column is an amount in US dollars. */
const amountTable = (columns: readonly Column[], rows: readonly (readonly string[])[]): string =>
  `${tableText([...columns, { title: 'USD', number: true }], alignPoints(rows, columns.length))}\n`

/** The months of an account as a table. */
export const invoicesText = ({ data }: ShownInvoices): string =>
  data.length === 0
    ? 'No usage in the last 13 months.\n'
    : amountTable(
        [
          { title: 'MONTH' },
          { title: 'NUMBER', least: 12, gives: 2 },
          { title: 'STATE' },
          { title: 'ISSUED', gives: 1 },
          { title: 'REQUESTS', number: true },
        ],
        data.map(({ month, number, state, issued_at, requests, amount_usd }) => [
          month,
          number,
          state,
          issued_at?.slice(0, 10) ?? '',
          String(requests),
          amount_usd,
        ]),
      )

/** The invoices of a month as a table, and their sum. */
export function monthInvoicesText(invoices: readonly MonthInvoice[]): string {
  if (invoices.length === 0) return 'No account has usage in this month.\n'
  const rows = invoices.map(({ label, account, number, state, requests, amount_usd }) => [
    ...[oneLine(label), account, number, state, String(requests), amount_usd],
  ])
  const requests = invoices.reduce((sum, each) => sum + each.requests, 0)
  const amount = invoices.reduce((sum, { amount_usd }) => addNanoUsd(sum, readUsdText(amount_usd)), ZERO_USD)
  return amountTable(
    [
      { title: 'ACCOUNT', least: 10 },
      { title: 'ID', gives: 1 },
      { title: 'NUMBER', gives: 2 },
      { title: 'STATE' },
      { title: 'REQUESTS', number: true },
    ],
    [...rows, ['TOTAL', '', '', '', String(requests), usdText(amount)]],
  )
}
