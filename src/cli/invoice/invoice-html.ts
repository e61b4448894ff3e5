import type { InvoiceItem, InvoiceSums, InvoiceTool, ShownInvoice } from '../../wire/admin/invoice.ts'
import { htmlText } from '../../wire/html.ts'
import { dollars } from '../../wire/money.ts'
import { oneLine } from '../../wire/printable.ts'
import { monthText, NOT_OVER } from './invoice-text.ts'

/** An invoice as a page of its own, to print or to keep: it loads nothing and runs nothing. */
export function invoiceHtml(invoice: ShownInvoice): string {
  const { account, label, gateway, month, final, plans, models, tools, days, total } = invoice
  const title = `Invoice for ${monthText(invoice)}: ${text(label)}`
  const facts = [
    ['Account', `${text(label)}<br><small>${text(account)}</small>`],
    ['Month', `${text(month)} <small>UTC</small>`],
    ...(plans.length === 0 ? [] : [['Plan', plans.map(text).join(', then ')]]),
    ['Gateway', text(gateway)],
  ]
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>
${STYLE}
</style>
</head>
<body>
<header>
<h1>Invoice <small>${monthText(invoice)}</small></h1>
<p class="total">${dollars(total.usd)}</p>
</header>
<dl>${facts.map(([name, value]) => `<div><dt>${name}</dt><dd>${value}</dd></div>`).join('')}</dl>
${final ? '' : `<p class="open">${NOT_OVER}</p>`}
${usedTable('Models', 'Model', models)}
${tools.length === 0 ? '' : toolTable(tools)}
${usedTable('Days', 'Day', days)}
<p class="sum"><span>${tools.length === 0 ? 'All models' : 'Models and hosted tools'}</span> <strong>${dollars(total.usd)}</strong></p>
</body>
</html>
`
}

const usedTable = (caption: string, named: string, items: readonly InvoiceItem[]): string =>
  tableOf(
    caption,
    [named, 'Requests', 'Tokens in', 'of it cached', 'cache writes', 'Tokens out', 'USD'],
    withDecimals(items).map(item => [item.name, ...countsOf(item), item.usd]),
  )

const countsOf = (sums: InvoiceSums): readonly string[] =>
  [sums.requests, sums.input_tokens, sums.cached_tokens, sums.cache_write_tokens, sums.output_tokens].map(number)

const toolTable = (items: readonly InvoiceTool[]): string =>
  tableOf(
    'Hosted tools',
    ['Tool', 'Calls', 'USD'],
    withDecimals(items).map(({ name, calls, usd }) => [name, number(calls), usd]),
  )

/** All amounts of a table have as many decimals, so that their points stand below each other. */
function withDecimals<Item extends { readonly usd: string }>(items: readonly Item[]): readonly Item[] {
  const decimalsOf = (usd: string) => usd.split('.')[1] ?? ''
  const most = Math.max(2, ...items.map(({ usd }) => decimalsOf(usd).length))
  return items.map(item => {
    const [whole = ''] = item.usd.split('.')
    return { ...item, usd: `${whole}.${decimalsOf(item.usd).padEnd(most, '0')}` }
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

const number = (count: number): string => count.toLocaleString('en-US')

/** Labels are chosen by operators and by people who sign in. */
const text = (value: string): string => htmlText(oneLine(value))

const STYLE = `:root { color-scheme: light; font: 14px/1.45 system-ui, sans-serif; color: #1a1f36 }
body { max-width: 54rem; margin: 3rem auto; padding: 0 1.5rem }
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
.sum { display: flex; justify-content: space-between; border-top: 2px solid #1a1f36; padding-top: .6rem; font-size: 1.1rem }
@media print { body { margin: 0; max-width: none; padding: 0 } @page { margin: 18mm } }`
