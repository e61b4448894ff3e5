import { expect } from 'vitest'
import { INVOICE } from '../../../src/wire/invoice/shown-invoice.ts'
import { INVOICES } from '../../../src/wire/invoice/shown-invoices.ts'
import { readAs } from '../../../src/wire/schema/read.ts'
import { ADMIN_TOKEN, type TestGateway } from '../../support/gateway.ts'
import { gatewayTest } from '../../support/gateway-test.ts'

const BILLING = `billing:
  round: cent
  seller: { name: Example Inference, address: "1 Example Street\\n12345 Exampletown", tax_id: X-1, contact: billing@example.com }
`
const it = gatewayTest.extend('config', { yaml: BILLING })
const DAY = 86_400_000

const ask = (gateway: TestGateway, token: string, query = '') =>
  fetch(`${gateway.url}/billing/invoices${query}`, { headers: { authorization: `Bearer ${token}` } })
const invoiceIn = async (gateway: TestGateway, token: string, month: string) =>
  readAs(INVOICE, await (await ask(gateway, token, `?month=${month}`)).json())
const listIn = async (gateway: TestGateway, token: string) =>
  readAs(INVOICES, await (await ask(gateway, token)).json()).data

it('a customer reads the invoice of a month: a line per model, kind and unit price, covered by the allowance', async ({
  gateway,
}) => {
  const [ada, bob] = [await gateway.key('free', 'ada'), await gateway.key('pro', 'bob')]
  for (const key of [ada, ada, bob]) expect((await gateway.chat(key, { max_tokens: 10 })).status).toBe(200)

  const invoice = await invoiceIn(gateway, ada, '2026-11')

  expect(invoice).toMatchObject({
    number: expect.stringMatching(/^INV-2026-11-[0-9A-Za-z]{20}$/),
    state: 'running',
    final: false,
    issued_at: null,
    label: 'ada',
    seller: { name: 'Example Inference', tax_id: 'X-1' },
    round: 'cent',
    total: { requests: 2, usd: '0.000078', amount_usd: '0' },
    coverage: { overage_usd: '0' },
  })
  expect(invoice.lines.map(({ model, kind, quantity }) => [model, kind, quantity])).toEqual([
    ['svc-core', 'input', 18],
    ['svc-core', 'output', 6],
  ])
  expect(invoice.lines.reduce((sum, line) => sum + line.cost_nano_usd, 0)).toBe(78_000)
})

it('an issued invoice stays as it is when a price, the rounding, the seller or the label changes', async ({
  gateway,
}) => {
  const key = await gateway.key('free', 'ada')
  expect((await gateway.chat(key, { max_tokens: 10 })).status).toBe(200)
  gateway.clock.advance(11 * DAY)
  const issued = await invoiceIn(gateway, key, '2026-11')
  expect(issued).toMatchObject({ state: 'issued', final: true, issued_at: '2026-12-02T10:00:00.000Z' })

  await gateway.reload({}, yaml => yaml.replace('round: cent', 'round: exact').replace('Example Inference', 'Other'))
  expect((await gateway.chat(key, { max_tokens: 10 })).status).toBe(200)

  expect(await invoiceIn(gateway, key, '2026-11')).toEqual(issued)
  expect(await invoiceIn(gateway, key, '2026-12')).toMatchObject({ round: 'exact', seller: { name: 'Other' } })
})

it('the list has the months with usage, newest first, each with the amount of its invoice', async ({ gateway }) => {
  const key = await gateway.key('free', 'ada')
  expect(await listIn(gateway, key)).toEqual([])
  expect((await gateway.chat(key, { max_tokens: 10 })).status).toBe(200)
  gateway.clock.advance(11 * DAY)
  expect((await gateway.chat(key, { max_tokens: 10 })).status).toBe(200)

  const list = await listIn(gateway, key)

  expect(list.map(({ month, state, requests }) => [month, state, requests])).toEqual([
    ['2026-12', 'running', 1],
    ['2026-11', 'issued', 1],
  ])
  for (const { month, number, amount_usd, usd, cost_nano_usd } of list)
    expect(await invoiceIn(gateway, key, month)).toMatchObject({ number, amount: { amount_usd, usd, cost_nano_usd } })
})

it('as CSV and as a page it has the same items, and the page loads and runs nothing', async ({ gateway }) => {
  const key = await gateway.key('free', 'ada')
  expect((await gateway.chat(key, { max_tokens: 10 })).status).toBe(200)
  const { number } = await invoiceIn(gateway, key, '2026-11')

  const csv = await ask(gateway, key, '?month=2026-11&format=csv')
  expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect(csv.headers.get('content-disposition')).toBe(`attachment; filename="${number}.csv"`)
  expect(await csv.text()).toContain(`,2026-11,line,svc-core,`)

  const page = await ask(gateway, key, '?month=2026-11&format=html')
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(page.headers.get('cache-control')).toBe('no-store')
  const html = await page.text()
  expect(html).toContain('12345 Exampletown')
  expect(html).toContain(number)
  expect(html).not.toMatch(/<script|<link|<img|\bon\w+=|url\(|@import/)
})

it('operators read the invoices of any account in the same forms', async ({ gateway }) => {
  const key = await gateway.key('free', 'ada')
  expect((await gateway.chat(key, { max_tokens: 10 })).status).toBe(200)
  const admin = async (path: string) =>
    await fetch(`${gateway.admin}${path}`, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } })

  const own = await invoiceIn(gateway, key, '2026-11')
  expect(await (await admin('/admin/invoice?account=ada&month=2026-11')).json()).toEqual(own)
  expect(await (await admin('/admin/invoices?account=ada')).json()).toMatchObject({
    account: own.account,
    data: [{ month: '2026-11', number: own.number }],
  })
  for (const format of ['csv', 'html'] as const)
    expect(await (await admin(`/admin/invoice?account=ada&month=2026-11&format=${format}`)).text()).toBe(
      await (await ask(gateway, key, `?month=2026-11&format=${format}`)).text(),
    )
})

it.for<[string, string]>([
  ['?month=11', 'month: must be a month such as'],
  ['?format=html', 'month: must be a month such as'],
  ['?month=2026-11&format=pdf', 'format: must be one of json, csv, html'],
  ['?account=bob', 'account: is not accepted'],
])('%s is a 400 that names the parameter', async ([query, problem], { gateway, key }) => {
  const response = await ask(gateway, key, query)

  expect(response.status).toBe(400)
  expect(await response.json()).toEqual({ error: expect.stringContaining(problem), code: 'VALIDATION_ERROR' })
})

it('nobody reads an invoice without a key, and a key reads that of its own account alone', async ({ gateway }) => {
  const [ada, bob] = [await gateway.key('free', 'ada'), await gateway.key('free', 'bob')]
  expect((await gateway.chat(ada, { max_tokens: 10 })).status).toBe(200)

  expect((await fetch(`${gateway.url}/billing/invoices`)).status).toBe(401)
  expect((await ask(gateway, 'svc_unknown', '?month=2026-11')).status).toBe(401)
  expect(await listIn(gateway, bob)).toEqual([])
  expect(await invoiceIn(gateway, bob, '2026-11')).toMatchObject({ label: 'bob', lines: [], total: { requests: 0 } })
})
