import { describe, expect, it } from 'vitest'
import { invoiceHtml } from '../../../src/cli/invoice/invoice-html.ts'
import { invoiceCsv, invoiceItems, invoiceText } from '../../../src/cli/invoice/invoice-text.ts'
import { widthOf } from '../../../src/cli/kit/table.ts'
import { nanoUsd } from '../../../src/policy/nano-usd.ts'
import type { InvoiceItem, ShownInvoice } from '../../../src/wire/admin/invoice.ts'
import { usdText } from '../../../src/wire/money.ts'
import { atWidth } from '../at-width.ts'

const amount = (nano: number) => ({ cost_nano_usd: nanoUsd(nano), usd: usdText(nanoUsd(nano)) })
const sums = (requests: number, input: number, output: number, nano: number) => ({
  ...{ requests, input_tokens: input, cached_tokens: Math.floor(input / 3), cache_write_tokens: 0 },
  ...{ output_tokens: output, ...amount(nano) },
})
const item = (name: string, ...numbers: Parameters<typeof sums>): InvoiceItem => ({ name, ...sums(...numbers) })

const invoice: ShownInvoice = {
  object: 'invoice',
  account: 'acct_9G7wJY0iLwq9uFOir78m',
  label: 'ada@example.com',
  gateway: 'https://llm.example.com',
  month: '2026-10',
  final: true,
  plans: ['free', 'pro'],
  models: [
    item('svc-ultra-pro', 1200, 3_400_000, 512_000, 12_345_678_901),
    item('svc-core', 90_211, 8_800_123, 1, 400_000_007),
  ],
  tools: [
    { name: 'docs_search', calls: 2113, ...amount(2_113_000_000) },
    { name: 'calculator', calls: 7, ...amount(0) },
  ],
  days: [
    item('2026-10-01', 90_000, 12_000_000, 500_000, 14_000_000_000),
    item('2026-10-31', 1411, 200_123, 12_001, 858_678_908),
  ],
  total: sums(91_411, 12_200_123, 512_001, 14_858_678_908),
}

describe.each([80, 120, 200])('in %s columns', columns => {
  it('an invoice is its golden text, and no line is longer', async () => {
    const text = atWidth(columns, () => invoiceText(invoice))

    await expect(text).toMatchFileSnapshot(`../golden/invoice-${columns}.txt`)
    expect(text.split('\n').filter(line => widthOf(line) > columns)).toEqual([])
  })
})

it('an invoice without tools says nothing of them, and one of a running month that more will come', () => {
  const text = invoiceText({ ...invoice, tools: [], final: false })

  expect(text).not.toMatch(/tool/i)
  expect(text).toContain('\nThe month is not over: this is what was settled so far.\n')
  expect(text).toMatch(/\nTotal of all models: \$14\.858678908\n$/)
})

it('as a page it is its golden text, which loads and runs nothing', async () => {
  const page = invoiceHtml(invoice)

  await expect(page).toMatchFileSnapshot('../golden/invoice.html')
  expect(page).not.toMatch(/<script|<link|<img|\bon\w+=|url\(|@import/)
})

const HOSTILE = `=HYPERLINK("http://x")</title><script>alert(1)</script>&"'\u001b[2J\u202e`

it('labels and names of others are text on the page', () => {
  const hostile = {
    ...invoice,
    label: HOSTILE,
    plans: [HOSTILE],
    models: [{ ...item('m', 1, 1, 1, 1), name: HOSTILE }],
  }
  const page = invoiceHtml({ ...hostile, tools: [{ name: HOSTILE, calls: 1, ...amount(1) }], gateway: HOSTILE })

  expect(page).not.toContain('<script')
  expect(page).not.toMatch(/(?!\n)\p{Cc}|\p{Bidi_Control}/u)
  expect(page.match(/&lt;script&gt;alert\(1\)&lt;\/script&gt;&amp;&quot;/g)).toHaveLength(6)
})

it('as CSV no name is a formula, and models and tools cost what the days cost', () => {
  const csv = invoiceCsv({ ...invoice, label: HOSTILE })
  const [header, ...rows] = csv.trimEnd().split('\r\n')

  expect(header).toBe(
    'account,label,month,item,name,requests,calls,input_tokens,cached_tokens,cache_write_tokens,output_tokens,cost_nano_usd,usd',
  )
  expect(rows).toHaveLength(6)
  for (const row of rows) expect(row).toMatch(/^acct_9G7wJY0iLwq9uFOir78m,"'=HYPERLINK\(""http:\/\/x""\)/)
  expect(invoiceCsv(invoice)).toContain(
    'acct_9G7wJY0iLwq9uFOir78m,ada@example.com,2026-10,tool,docs_search,,2113,,,,,2113000000,2.113\r\n',
  )
  const costs = (kinds: readonly string[]) =>
    invoiceItems(invoice)
      .filter(each => kinds.includes(each.item))
      .reduce((sum, { cost_nano_usd }) => sum + cost_nano_usd, 0)
  expect(costs(['model', 'tool'])).toBe(costs(['day']))
})
