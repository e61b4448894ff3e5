import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Backend, startBackend } from '../../support/backend.ts'
import { ADMIN_TOKEN, startTestGateway, type TestGateway } from '../../support/gateway.ts'

/** Requests of one account around the beginning of December in Tokyo, which is the 15th there, and its present: 01:00 of the 16th. */
const SENT = ['2026-12-14T14:30:00Z', '2026-12-14T15:30:00Z', '2026-12-15T14:30:00Z', '2026-12-15T15:30:00Z']
const NOW = '2026-12-15T16:00:00Z'

const lines = (text: string) => (text === '' ? [] : text.trimEnd().split('\n'))
const requestsIn = (text: string): number =>
  (JSON.parse(text) as { data: { requests: number }[] }).data.reduce((sum, { requests }) => sum + requests, 0)
const counted = (text: string) => (JSON.parse(text) as { total: { requests: number } }).total.requests

interface Surface {
  readonly at: 'admin' | 'url'
  readonly path: string
  readonly count: (text: string) => number
}

/** Each surface that takes a period; svcctl and the consoles ask these. */
const PERIODS: Readonly<Record<string, Surface>> = {
  'usage by day': { at: 'admin', path: '/admin/usage?by=day', count: requestsIn },
  'usage by label': { at: 'admin', path: '/admin/usage?by=project', count: requestsIn },
  rows: { at: 'admin', path: '/admin/ledger?', count: text => lines(text).length },
  'rows as FOCUS': {
    ...{ at: 'admin', path: '/admin/ledger?format=focus' },
    count: text => lines(text).filter(line => line.includes('svc-core/output')).length,
  },
  'past requests': {
    at: 'admin',
    path: '/admin/requests?',
    count: text => (JSON.parse(text) as { data: [] }).data.length,
  },
}
const MONTHS: Readonly<Record<string, Surface>> = {
  ...PERIODS,
  "the customer's usage": { at: 'url', path: '/billing/usage?', count: requestsIn },
  "the customer's usage by label": { at: 'url', path: '/billing/usage?by_label=true', count: requestsIn },
  "the customer's invoice": { at: 'url', path: '/billing/invoices?', count: counted },
  'an invoice': { at: 'admin', path: '/admin/invoice?account=ada', count: counted },
  'the invoices of all': { at: 'admin', path: '/admin/invoices?', count: requestsIn },
}

describe('in a zone ahead of UTC, with months from the 15th', () => {
  let backend: Backend
  let gateway: TestGateway
  let key: string
  beforeAll(async () => {
    backend = await startBackend()
    const labels = 'labels: { project: { from: [header x-svc-label-project] } }'
    gateway = await startTestGateway({
      onprem: [backend],
      yaml: `zone: Asia/Tokyo\nfiscal_month_starts: 15\n${labels}`,
    })
    key = await gateway.key('free', 'ada')
    for (const moment of [...SENT, NOW]) {
      gateway.clock.advance(Date.parse(moment) - gateway.clock.now())
      if (moment !== NOW) expect((await gateway.chat(key, { max_tokens: 10 })).status).toBe(200)
    }
  })
  afterAll(async () => {
    await gateway.close()
    await backend.close()
  })

  const read = async ({ at, path }: Surface, query: string) => {
    const token = at === 'admin' ? ADMIN_TOKEN : key
    const asked = await fetch(`${gateway[at]}${path}${path.endsWith('?') ? '' : '&'}${query}`, {
      headers: { authorization: `Bearer ${token}` },
    })
    expect(asked.status).toBe(200)
    return asked.text()
  }

  it.each(Object.entries(MONTHS))(
    '%s: this month and the last one have the requests of those months',
    async (_, surface) => {
      const of = async (month: string) => surface.count(await read(surface, `month=${month}`))
      expect(await of('this')).toBe(3)
      expect(await of('2026-12')).toBe(3)
      expect(await of('last')).toBe(1)
    },
  )

  it.each(Object.entries(PERIODS))('%s: today, yesterday and dates are days there', async (_, surface) => {
    const of = async (period: string) => surface.count(await read(surface, period))
    expect(await of('since=today')).toBe(1)
    expect(await of('since=yesterday&until=today')).toBe(2)
    expect(await of('since=2026-12-15&until=2026-12-16')).toBe(2)
  })

  it('days that end today are those that the consoles draw, and the running month has its name', async () => {
    const report = JSON.parse(await read(PERIODS['usage by day'] as Surface, 'since=1d')) as object
    expect(report).toMatchObject({ since: '2026-12-15', zone: 'Asia/Tokyo' })
    const own = JSON.parse(await read(MONTHS["the customer's usage"] as Surface, 'month=this')) as object
    expect(own).toMatchObject({ since: '2026-12-15', until: '2026-12-16', days: 2, zone: 'Asia/Tokyo' })
    const invoices = JSON.parse(await read(MONTHS['the invoices of all'] as Surface, 'month=last')) as object
    expect(invoices).toMatchObject({ month: '2026-11', running_month: '2026-12' })
  })

  it('an invoice and a page of usage of the last month are whole, and a month to come is refused', async () => {
    const own = JSON.parse(await read(MONTHS["the customer's usage"] as Surface, 'month=last')) as object
    expect(own).toMatchObject({ since: '2026-11-15', until: '2026-12-14', days: 30 })
    for (const query of ['month=2027-01', 'month=next', 'month=this&days=3']) {
      const asked = await fetch(`${gateway.url}/billing/usage?${query}`, {
        headers: { authorization: `Bearer ${key}` },
      })
      expect([query, asked.status]).toEqual([query, 400])
    }
  })
})
