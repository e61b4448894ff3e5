import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { INVOICE } from '../../../src/wire/invoice/shown-invoice.ts'
import type { MonthInvoice, ShownMonthInvoices } from '../../../src/wire/invoice/shown-invoices.ts'
import { readAs } from '../../../src/wire/schema/read.ts'
import { answer, type Backend, startBackend } from '../../support/backend.ts'
import { ADMIN_TOKEN, startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { describeRedis, type RedisServer, startRedis } from '../../support/redis/redis.ts'

const DAY = 86_400_000

let backend: Backend
beforeEach(async () => {
  backend = await startBackend()
  backend.always(answer({ content: 'Hi', usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 } }))
})
afterEach(() => backend.close())

const ask = (test: TestGateway, path: string) =>
  fetch(`${test.admin}/admin/${path}`, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } })
const page = async (test: TestGateway, query: string) =>
  (await (await ask(test, `invoices?${query}`)).json()) as ShownMonthInvoices
const linesOf = async (test: TestGateway, query: string) =>
  (await (await ask(test, `invoices?${query}`)).text()).trimEnd().split(/\r?\n/)

/** Five accounts with usage in November, and one without. */
async function november(test: TestGateway): Promise<readonly string[]> {
  const labels = ['ada', 'bob', 'cy', 'dee', 'eve']
  for (const label of [...labels, 'idle']) {
    const key = await test.key('pro', label)
    if (label !== 'idle') expect((await test.chat(key, { max_tokens: 10 })).status).toBe(200)
  }
  return labels
}

function contract(start: () => Promise<TestGateway>): void {
  it('a month has the invoice of each account with usage, as the account has it, drafts before they are issued', async () => {
    const test = await start()
    const labels = await november(test)
    for (const state of ['running', 'issued'] as const) {
      const { data, next } = await page(test, 'month=2026-11')
      expect(data.map(each => [each.label, each.state, each.requests])).toEqual(labels.map(label => [label, state, 1]))
      expect(next).toBeNull()
      for (const { account, ...summary } of data) {
        const {
          number,
          state: own,
          total,
          amount,
        } = readAs(INVOICE, await (await ask(test, `invoice?account=${account}&month=2026-11`)).json())
        expect(summary).toMatchObject({ number, state: own, requests: total.requests, ...amount })
      }
      test.clock.advance(11 * DAY)
    }
    expect((await page(test, 'month=2026-10')).data).toEqual([])
    await test.close()
  })

  it('pages have every invoice once, in the order of labels', async () => {
    const test = await start()
    const labels = await november(test)
    const shown: MonthInvoice[] = []
    for (let cursor = ''; ; ) {
      const { data, next, has_more } = await page(test, `month=2026-11&limit=2${cursor}`)
      expect(data.length).toBeLessThanOrEqual(2)
      expect(has_more).toBe(next !== null)
      shown.push(...data)
      if (next === null) break
      cursor = `&cursor=${next}`
    }
    expect(shown.map(({ label }) => label)).toEqual(labels)
    await test.close()
  })

  it('as CSV each invoice is a row, or each of its lines is, and both add up to the same', async () => {
    const test = await start()
    const labels = await november(test)
    const { data } = await page(test, 'month=2026-11')
    const total = data.reduce((sum, { cost_nano_usd }) => sum + cost_nano_usd, 0)
    const column = (rows: readonly string[], name: string) => {
      const [head = '', ...others] = rows
      const at = head.split(',').indexOf(name)
      return others.map(row => row.split(',')[at] ?? '')
    }
    const rows = await linesOf(test, 'month=2026-11&format=csv')
    expect(column(rows, 'label').sort()).toEqual(labels)
    expect(column(rows, 'cost_nano_usd').reduce((sum, cost) => sum + Number(cost), 0)).toBe(total)
    const lines = await linesOf(test, 'month=2026-11&format=lines')
    const items = [lines[0] ?? '', ...lines.filter(row => row.includes(',line,'))]
    expect(column(items, 'cost_nano_usd').reduce((sum, cost) => sum + Number(cost), 0)).toBe(total)
    const whole = (await linesOf(test, 'month=2026-11&format=ndjson')).map(row => readAs(INVOICE, JSON.parse(row)))
    expect(whole.map(({ label }) => label).sort()).toEqual(labels)
    await test.close()
  })
}

describe('of the embedded store', () => {
  const start = () => startTestGateway({ onprem: [backend] })
  contract(start)

  it.each([
    ['', 'account: is required without month'],
    ['month=11', 'month: must be a month such as'],
    ['month=2026-11&account=ada', 'account: cannot be combined with month'],
    ['month=2026-11&format=html', 'format: must be json or ndjson or csv or lines'],
    ['month=2026-11&limit=201', 'limit: must be a number from 1 to 200'],
    ['month=2026-11&format=csv&limit=2', 'limit: goes with format=json'],
    ['month=2026-11&cursor=x', 'cursor: must be the cursor of another page'],
    ['account=ada&format=csv', 'format: goes with month'],
  ])('?%s is a 400 that names the parameter', async (query, problem) => {
    const test = await start()
    const response = await ask(test, `invoices?${query}`)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: expect.stringContaining(problem) })
    await test.close()
  })
})

describeRedis('of Redis', () => {
  let redis: RedisServer
  beforeEach(async () => {
    redis = await startRedis()
  })
  afterEach(() => redis.stop())
  contract(() => startTestGateway({ onprem: [backend], redis }))
})
