import { type Cell, csvRow } from '../csv.ts'
import type { ShownInvoice } from './shown-invoice.ts'

/**
 * Each item on a line of its own. Lines and tools together cost what models and tools do, what the days do, and what the values of
 * each label do; late usage is beside them.
 */
export function invoiceItems({
  number,
  account,
  label,
  month,
  zone,
  from,
  to,
  lines,
  models,
  tools,
  days,
  by_label = [],
  late,
}: ShownInvoice) {
  const of = (item: 'line' | 'model' | 'tool' | 'day' | 'label' | 'late') => ({
    ...{ number, account, label, month, item },
    ...(zone !== undefined && { zone }),
    ...(from !== undefined && { from, to }),
  })
  return [
    ...lines.map(({ model, ...each }) => ({ ...of('line'), name: model, ...each })),
    ...models.map(each => ({ ...of('model'), ...each })),
    ...tools.map(each => ({ ...of('tool'), ...each })),
    ...days.map(each => ({ ...of('day'), ...each })),
    ...by_label.flatMap(({ label: of_, values }) =>
      values.map(({ name, ...each }) => ({ ...of('label'), name: `${of_}=${name}`, ...each })),
    ),
    ...late.map(({ number: _, month: name, ...each }) => ({ ...of('late'), name, ...each })),
  ]
}

/** The items as CSV, without a row for the sum: spreadsheets add up by themselves. */
export const invoiceCsv = (invoice: ShownInvoice): string => [ITEM_FIELDS, ...itemRows(invoice)].map(csvRow).join('')

/** The cells of each item, in the order of `ITEM_FIELDS`. */
export const itemRows = (invoice: ShownInvoice): readonly (readonly Cell[])[] =>
  invoiceItems(invoice).map(item => {
    const cells: Readonly<Record<string, Cell>> = item
    return ITEM_FIELDS.map(field => cells[field] ?? null)
  })

/** The columns of items. */
export const ITEM_FIELDS = [
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
  'kind',
  'quantity',
  'unit_price_usd',
  'amount_usd',
  'number',
  'saved_nano_usd',
  'saved_usd',
] as const
