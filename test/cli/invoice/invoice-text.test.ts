import { describe, expect, it } from 'vitest'
import { invoicesText, invoiceText, monthInvoicesText } from '../../../src/cli/invoice/text.ts'
import { widthOf } from '../../../src/cli/kit/table.ts'
import { nanoUsd } from '../../../src/policy/nano-usd.ts'
import { invoiceCsv, invoiceItems } from '../../../src/wire/invoice/csv.ts'
import { invoiceHtml } from '../../../src/wire/invoice/html.ts'
import { type ShownInvoice, shownInvoice } from '../../../src/wire/invoice/shown-invoice.ts'
import { monthInvoice, shownInvoices } from '../../../src/wire/invoice/shown-invoices.ts'
import { atWidth } from '../at-width.ts'

const sums = (name: string, requests: number, input: number, output: number, cost: number) => ({
  ...{ name, requests, inputTokens: input, cachedTokens: Math.floor(input / 3), cacheWriteTokens: 0 },
  ...{ outputTokens: output, cost: nanoUsd(cost) },
})
const line = (model: string, kind: 'input' | 'output' | 'image', quantity: number, price: number, cost: number) => ({
  ...{ model, kind, quantity, price: nanoUsd(price), cost: nanoUsd(cost) },
})

const stated = {
  number: 'INV-2026-10-9G7wJY0iLwq9uFOir78m',
  state: 'issued' as const,
  issued_at: '2026-11-02T00:00:00.000Z',
  account: 'acct_9G7wJY0iLwq9uFOir78m',
  label: 'ada@example.com',
  gateway: 'https://llm.example.com',
  seller: { name: 'Example Inference', address: '1 Example Street\nExampletown', tax_id: 'X-1', contact: null },
  round: 'exact' as const,
  month: '2026-10',
}

const used = {
  plans: ['free', 'pro'],
  lines: [
    line('svc-ultra-pro', 'input', 3_400_000, 2_500, 8_500_000_000),
    line('svc-ultra-pro', 'output', 512_000, 7_511, 3_845_678_901),
    line('svc-core', 'input', 8_800_123, 45, 396_005_535),
    line('svc-core', 'image', 1, 3_994_472, 3_994_472),
  ],
  models: [
    sums('svc-ultra-pro', 1200, 3_400_000, 512_000, 12_345_678_901),
    sums('svc-core', 90_211, 8_800_123, 1, 400_000_007),
  ],
  tools: [
    { name: 'docs_search', calls: 2113, cost: nanoUsd(2_113_000_000) },
    { name: 'calculator', calls: 7, cost: nanoUsd(0) },
  ],
  days: [
    sums('2026-10-01', 90_000, 12_000_000, 500_000, 14_000_000_000),
    sums('2026-10-31', 1411, 200_123, 12_001, 858_678_908),
  ],
  total: sums('', 91_411, 12_200_123, 512_001, 14_858_678_908),
  late: [],
  allotment: { allowance: nanoUsd(10_000_000_000), credit: nanoUsd(2_000_000_000) },
  coverage: {
    ...{ fromAllowance: nanoUsd(10_000_000_000), fromCredit: nanoUsd(2_000_000_000) },
    overage: nanoUsd(2_858_678_908),
  },
}

const invoice: ShownInvoice = shownInvoice(stated, used)
const running = { ...stated, state: 'running' as const, issued_at: null }

describe.each([80, 120, 200])('in %s columns', columns => {
  it('an invoice is its golden text, and no line is longer', async () => {
    const text = atWidth(columns, () => invoiceText(invoice))

    await expect(text).toMatchFileSnapshot(`../golden/invoice-${columns}.txt`)
    expect(text.split('\n').filter(line => widthOf(line) > columns)).toEqual([])
  })
})

describe.each([80, 120, 200])('in %s columns', columns => {
  const others = ['ada@example.com', 'bob@example.com'].map((label, at) =>
    shownInvoice({ ...(at === 0 ? stated : running), label, round: 'cent' }, used),
  )

  it.each([
    [
      'the months of an account',
      'invoices-of-account',
      () => invoicesText(shownInvoices(stated, [shownInvoice(running, used), invoice])),
    ],
    ['the invoices of a month', 'invoices-of-month', () => monthInvoicesText(others.map(monthInvoice))],
  ])('%s are their golden text, and no line is longer', async (_, name, write) => {
    const text = atWidth(columns, write)

    await expect(text).toMatchFileSnapshot(`../golden/${name}-${columns}.txt`)
    expect(text.split('\n').filter(line => widthOf(line) > columns)).toEqual([])
  })
})

it('an invoice without tools says nothing of them, and one of a running month that more will come', () => {
  const forecast = nanoUsd(20_000_000_000)
  const text = invoiceText(shownInvoice(running, { ...used, tools: [], forecast }))

  expect(text).not.toMatch(/tool/i)
  expect(text).toContain('\nNot issued yet: the month is still running.\n')
  expect(text).toMatch(/\nTotal +\$14\.858678908\n/)
  expect(text).toContain('\nForecast of the month: $20. Usage so far, and for each day left')
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
    lines: invoice.lines.slice(0, 1).map(each => ({ ...each, model: HOSTILE })),
    tools: invoice.tools.slice(0, 1).map(each => ({ ...each, name: HOSTILE })),
    seller: { name: HOSTILE, address: `${HOSTILE}\n${HOSTILE}`, tax_id: HOSTILE, contact: HOSTILE },
  }
  const page = invoiceHtml({ ...hostile, gateway: HOSTILE })

  expect(page).not.toContain('<script')
  expect(page).not.toMatch(/(?!\n)\p{Cc}|\p{Bidi_Control}/u)
  expect(page.match(/&lt;script&gt;alert\(1\)&lt;\/script&gt;&amp;&quot;/g)).toHaveLength(11)
})

it('as CSV no name is a formula, and models and tools cost what the days cost', () => {
  const csv = invoiceCsv({ ...invoice, label: HOSTILE })
  const [header, ...rows] = csv.trimEnd().split('\r\n')

  expect(header).toBe(
    'account,label,month,item,name,requests,calls,input_tokens,cached_tokens,cache_write_tokens,output_tokens,cost_nano_usd,usd,kind,quantity,unit_price_usd,amount_usd,number,saved_nano_usd,saved_usd',
  )
  expect(rows).toHaveLength(10)
  for (const row of rows) expect(row).toMatch(/^acct_9G7wJY0iLwq9uFOir78m,"'=HYPERLINK\(""http:\/\/x""\)/)
  expect(invoiceCsv(invoice)).toContain(
    'acct_9G7wJY0iLwq9uFOir78m,ada@example.com,2026-10,tool,docs_search,,2113,,,,,2113000000,2.113,,,,2.113,INV-2026-10-9G7wJY0iLwq9uFOir78m,,\r\n',
  )
  const costs = (kinds: readonly string[]) =>
    invoiceItems(invoice)
      .filter(each => kinds.includes(each.item))
      .reduce((sum, { cost_nano_usd }) => sum + cost_nano_usd, 0)
  expect(costs(['model', 'tool'])).toBe(costs(['day']))
  expect(costs(['line', 'tool'])).toBe(costs(['day']))
})

it('rounded to cents, every sum on screen adds up', () => {
  const late = [{ month: '2026-09', number: 'INV-2026-09-9G7wJY0iLwq9uFOir78m', cost: nanoUsd(15_000_000) }]
  const text = invoiceText(shownInvoice({ ...stated, round: 'cent' }, { ...used, late }))

  expect(text).toMatch(/Usage of models and tools +\$14\.86\n/)
  expect(text).toMatch(/Late usage of September 2026 \(after INV-2026-09-9G7wJY0iLwq9uFOir78m\) +\$0\.02\n/)
  expect(text).toMatch(/\nTotal +\$14\.88\n/)
  expect(text).toContain('Lines are rounded by the largest remainder')
})
