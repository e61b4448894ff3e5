import { expect } from 'vitest'
import { INVOICE } from '../../../src/wire/invoice/shown-invoice.ts'
import { readAs } from '../../../src/wire/schema/read.ts'
import { ADMIN_TOKEN, type TestGateway } from '../../support/gateway.ts'
import { gatewayTest as it } from '../../support/gateway-test.ts'

const ask = (gateway: TestGateway, query: string) =>
  fetch(`${gateway.admin}/admin/invoice${query}`, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } })

it('an invoice has what one account used in a month, and none of another account or month', async ({ gateway }) => {
  const [ada, bob] = [await gateway.key('free', 'ada'), await gateway.key('pro', 'bob')]
  for (const key of [ada, ada, bob]) expect((await gateway.chat(key, { max_tokens: 10 })).status).toBe(200)
  gateway.clock.advance(11 * 86_400_000)
  expect((await gateway.chat(ada, { max_tokens: 10 })).status).toBe(200)

  const november = readAs(INVOICE, await (await ask(gateway, '?account=ada&month=2026-11')).json())

  expect(november).toMatchObject({
    label: 'ada',
    month: '2026-11',
    final: true,
    plans: ['free'],
    models: [{ name: 'svc-core', requests: 2, usd: '0.000078' }],
    tools: [],
    days: [{ name: '2026-11-21', requests: 2 }],
    total: { requests: 2, input_tokens: 18, output_tokens: 6, cost_nano_usd: 78_000 },
  })
  const december = readAs(INVOICE, await (await ask(gateway, '?account=ada&month=2026-12')).json())
  expect(december).toMatchObject({ final: false, total: { requests: 1 }, days: [{ name: '2026-12-02' }] })
  expect(readAs(INVOICE, await (await ask(gateway, '?account=ada&month=2026-10')).json())).toMatchObject({
    final: true,
    models: [],
    days: [],
    total: { requests: 0, usd: '0' },
  })
})

it.for<[string, string]>([
  ['?month=2026-11', 'account: is required'],
  ['?account=nobody&month=2026-11', 'account: there is no account `nobody`'],
  ['?account=ada', 'month: must be a month such as'],
  ['?account=ada&month=11', 'month: must be a month such as'],
  ['?account=ada&month=2026-11&by=day', 'by: is not accepted'],
])('%s is a 400 that names the parameter', async ([query, problem], { gateway }) => {
  const response = await ask(gateway, query)

  expect(response.status).toBe(400)
  expect(await response.json()).toEqual({ error: expect.stringContaining(problem), code: 'VALIDATION_ERROR' })
})
