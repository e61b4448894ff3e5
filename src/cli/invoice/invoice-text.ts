import type { InvoiceItem, ShownInvoice } from '../../wire/admin/invoice.ts'
import { dollars } from '../../wire/money.ts'
import { oneLine } from '../../wire/printable.ts'
import { csvRow } from '../kit/csv.ts'
import { foldedText } from '../kit/table.ts'
import { countTable, totalled } from '../usage/usage-text.ts'

/** An invoice as people read it: models, tools where there are any, days, and the sum of all. */
export function invoiceText(invoice: ShownInvoice): string {
  const { account, label, gateway, final, plans, models, tools, days, total } = invoice
  const what = `Invoice for ${monthText(invoice)}: ${oneLine(label)} (${account})`
  const of = [plans.length === 0 ? '' : `plan ${plans.join(', then ')}`, gateway, 'UTC'].filter(Boolean).join(' · ')
  const parts = [
    totalled([{ title: 'MODEL', least: 10, whole: true }], 'REQUESTS', models.map(lineOf)),
    tools.length === 0
      ? ''
      : countTable(
          { title: 'HOSTED TOOL', least: 10 },
          'CALLS',
          tools.map(({ name, calls, ...paid }) => ({ name, count: calls, ...paid })),
        ),
    totalled([{ title: 'DAY' }], 'REQUESTS', days.map(lineOf)),
  ]
  const sum = `Total of ${tools.length === 0 ? 'all models' : 'models and tools'}: ${dollars(total.usd)}\n`
  return [`${foldedText([what, of, ...(final ? [] : [NOT_OVER])].join('\n'))}\n`, ...parts.filter(Boolean), sum].join(
    '\n',
  )
}

export const NOT_OVER = 'The month is not over: this is what was settled so far.'

/** `October 2026` */
export const monthText = ({ month }: Pick<ShownInvoice, 'month'>): string =>
  new Intl.DateTimeFormat('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(Date.parse(month))

const lineOf = ({ name, requests, ...sums }: InvoiceItem) => ({ names: [name], count: requests, ...sums })

/** An item on a line of its own: of models and tools, and of days, which cost the same together. */
export function invoiceItems({ account, label, month, models, tools, days }: ShownInvoice) {
  const of = (item: 'model' | 'tool' | 'day') => ({ account, label, month, item })
  return [
    ...models.map(each => ({ ...of('model'), ...each })),
    ...tools.map(each => ({ ...of('tool'), ...each })),
    ...days.map(each => ({ ...of('day'), ...each })),
  ]
}

/** The same as CSV, without a row for the sum: spreadsheets add up by themselves. */
export const invoiceCsv = (invoice: ShownInvoice): string =>
  [
    FIELDS,
    ...invoiceItems(invoice).map(item => {
      const cells: Readonly<Record<string, string | number>> = item
      return FIELDS.map(field => cells[field] ?? null)
    }),
  ]
    .map(csvRow)
    .join('')

const FIELDS = [
  'account',
  'label',
  'month',
  'item',
  'name',
  'requests',
  'calls',
  'input_tokens',
  'cached_tokens',
  'cache_write_tokens',
  'output_tokens',
  'cost_nano_usd',
  'usd',
] as const
