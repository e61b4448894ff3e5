import { htmlText } from '../html.ts'
import { dollars } from '../money.ts'
import { oneLine } from '../printable.ts'
import type { InvoiceItem, InvoiceTool, ShownInvoice, ShownLine, ShownSeller } from './shown-invoice.ts'
import {
  coverageRows,
  KIND_WORDS,
  lateRows,
  monthText,
  periodText,
  roundingText,
  savedText,
  stateText,
  unitText,
} from './words.ts'

/** An invoice as a page of its own, to print on A4 or to keep: it loads nothing and runs nothing. */
export function invoiceHtml(invoice: ShownInvoice): string {
  const { number, account, label, gateway, seller, month, plans, lines, tools, days, amount } = invoice
  const { by_label: labels = [] } = invoice
  const facts = [
    ['Number', text(number)],
    ['Account', `${text(label)}<br><small>${text(account)}</small>`],
    ['Month', `${text(month)} <small>${text(periodText(invoice))}</small>`],
    ['Issued', invoice.issued_at === null ? '–' : text(invoice.issued_at.slice(0, 10))],
    ...(plans.length === 0 ? [] : [['Plan', plans.map(text).join(', then ')]]),
    ['Service', text(gateway)],
  ]
  const state = stateText(invoice)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>${text(number)}: invoice for ${monthText(invoice)}, ${text(label)}</title>
<style>
${STYLE}
</style>
</head>
<body>
${seller === null ? '' : sellerBlock(seller)}
<header>
<h1>Invoice <small>${monthText(invoice)}</small></h1>
<p class="total">${dollars(amount.amount_usd)}</p>
</header>
<dl>${facts.map(([name, value]) => `<div><dt>${name}</dt><dd>${value}</dd></div>`).join('')}</dl>
${state === undefined ? '' : `<p class="open">${state}</p>`}
${lines.length === 0 ? '<p>Nothing was charged.</p>' : lineTable(lines)}
${tools.length === 0 ? '' : toolTable(tools)}
${sumBlock(invoice)}
<p class="open">${roundingText(invoice)}</p>
${labels.map(({ label: by, values }) => `${usageTable(`Usage by ${by}`, by, values)}\n`).join('')}${days.length === 0 ? '' : usageTable('Usage by day', 'Day', days)}
</body>
</html>
`
}

function sellerBlock({ name, address, tax_id, contact }: ShownSeller): string {
  const lines = [`<strong>${text(name)}</strong>`, ...(address ?? '').split('\n').filter(Boolean).map(text)]
  const more = [...(tax_id === null ? [] : [`Tax ID ${text(tax_id)}`]), ...(contact === null ? [] : [text(contact)])]
  return `<address>${[...lines, ...more].join('<br>')}</address>`
}

const lineTable = (lines: readonly ShownLine[]): string =>
  tableOf(
    'Models',
    ['Model', 'Charged for', 'Quantity', 'Unit price, USD', 'USD'],
    withDecimals(lines).map(line => [
      line.model,
      KIND_WORDS[line.kind],
      line.quantity === null ? '' : counted(line.quantity),
      unitText(line),
      line.amount_usd,
    ]),
  )

const toolTable = (items: readonly InvoiceTool[]): string =>
  tableOf(
    'Hosted tools',
    ['Tool', 'Calls', 'USD'],
    withDecimals(items).map(({ name, calls, amount_usd }) => [name, counted(calls), amount_usd]),
  )

const usageTable = (caption: string, title: string, items: readonly InvoiceItem[]): string =>
  tableOf(
    text(caption),
    [text(title), 'Requests', 'Input tokens', 'cached', 'cache writes', 'Output tokens', 'USD'],
    withDecimals(items).map(each => [
      each.name,
      ...[each.requests, each.input_tokens, each.cached_tokens, each.cache_write_tokens, each.output_tokens].map(
        counted,
      ),
      each.amount_usd,
    ]),
  )

/** Total, late usage, amount, and how that is covered. */
function sumBlock(invoice: ShownInvoice): string {
  const { tools, total, late, amount } = invoice
  const saved = savedText(invoice)
  const ofMonth = tools.length === 0 ? 'Usage of all models' : 'Usage of models and hosted tools'
  const parts = late.length === 0 ? [] : [[ofMonth, total.amount_usd] as const, ...namedLate(invoice)]
  const rows = [...parts, ['Total', amount.amount_usd] as const, ...coverageRows(invoice)]
  const shown = withDecimals(rows.map(([name, amount_usd]) => ({ name, amount_usd })))
  return `<table class="sums"><caption>Summary</caption><tbody>
${shown.map(({ name, amount_usd }) => `<tr${name === 'Total' ? ' class="sum"' : ''}><th scope="row">${text(name)}</th><td>$${amount_usd}</td></tr>`).join('\n')}
</tbody></table>${saved === undefined ? '' : `\n<p>${text(saved)}</p>`}`
}

const namedLate = (invoice: ShownInvoice) =>
  lateRows(invoice).map(([name, { amount_usd }]) => [name, amount_usd] as const)

/** All amounts of a table have as many decimals, so that their points stand below each other. */
function withDecimals<Item extends { readonly amount_usd: string }>(items: readonly Item[]): readonly Item[] {
  const decimalsOf = (usd: string) => usd.split('.')[1] ?? ''
  const most = Math.max(2, ...items.map(({ amount_usd }) => decimalsOf(amount_usd).length))
  return items.map(item => {
    const [whole = ''] = item.amount_usd.split('.')
    return { ...item, amount_usd: `${whole}.${decimalsOf(item.amount_usd).padEnd(most, '0')}` }
  })
}

const tableOf = (caption: string, titles: readonly string[], rows: readonly (readonly string[])[]): string =>
  `<table>
<caption>${caption}</caption>
<thead><tr>${titles.map(title => `<th scope="col">${title}</th>`).join('')}</tr></thead>
<tbody>
${rows.map(([name = '', ...cells]) => `<tr><th scope="row">${text(name)}</th>${cells.map(cell => `<td>${text(cell)}</td>`).join('')}</tr>`).join('\n')}
</tbody>
</table>`

const counted = (count: number): string => count.toLocaleString('en-US')

/** Labels are chosen by operators and by people who sign in. */
const text = (value: string): string => htmlText(oneLine(value))

const STYLE = `:root { color-scheme: light; font: 14px/1.45 system-ui, sans-serif; color: #1a1f36 }
body { max-width: 54rem; margin: 3rem auto; padding: 0 1.5rem }
address { font-style: normal; margin-bottom: 2rem; overflow-wrap: anywhere }
header { display: flex; justify-content: space-between; align-items: baseline; border-bottom: 2px solid #1a1f36 }
dt, small, .open { color: #5b6478; font-weight: 400 }
h1 { font-size: 1.5rem }
.total { font-size: 1.5rem; font-weight: 600; font-variant-numeric: tabular-nums }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); gap: 1rem; margin: 1.25rem 0 2rem }
dt { font-size: .85em } dd { margin: 0; overflow-wrap: anywhere }
table { width: 100%; border-collapse: collapse; margin: 0 0 2rem }
caption { text-align: left; font-weight: 600; padding-bottom: .4rem }
th, td { padding: .3rem .5rem; text-align: right; border-bottom: 1px solid #e3e6ee; font-variant-numeric: tabular-nums }
th:first-child { text-align: left; padding-left: 0 } td:last-child, th:last-child { padding-right: 0 }
thead th { color: #5b6478; font-weight: 500; font-size: .85em; vertical-align: bottom }
tbody th { font-weight: 400; overflow-wrap: anywhere }
tr { break-inside: avoid }
.sums { break-inside: avoid }
.sum th, .sum td { border-top: 2px solid #1a1f36; font-size: 1.1rem; font-weight: 600 }
thead { display: table-header-group }
@page { size: A4; margin: 18mm }
@media print { :root { font-size: 10pt } body { margin: 0; max-width: none; padding: 0 } }`
