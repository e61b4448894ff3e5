import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { adminEndpoints } from '../../../src/http/admin/admin.ts'
import type { Endpoint } from '../../../src/http/listener/endpoint.ts'
import { endpointsOf } from '../../../src/http/listener/family.ts'
import { clientFamily, publicEndpoints } from '../../../src/http/public/public.ts'
import { Answering } from './fixture.ts'
import { ANSWERS, BESIDE_ENDPOINTS, BODIES, type Bound, COUNTS, HEADS, KEPT, ROWS } from './table.ts'

const PASSED = 'a pass-through route'
const SOCKETS = 'a pass-through route of WebSockets'
const nameOf = ({ method, path }: Endpoint) => `${method} ${path}`
const KINDS: Readonly<Record<string, Readonly<Record<string, Bound>>>> = { BODIES, COUNTS, ANSWERS, KEPT }
const bounds: readonly (readonly [string, Bound])[] = [
  ...Object.values(KINDS).flatMap(kind => Object.entries(kind)),
  ['heads', HEADS],
]

describe('the table of what bounds a request', () => {
  it('has a row for every endpoint that clients reach, and no other', () => {
    const rows = Object.keys(ROWS).filter(name => name !== PASSED && name !== SOCKETS)

    expect(rows.sort()).toEqual(publicEndpoints.map(nameOf).sort())
  })

  it('has the rate that each endpoint is served with', async () => {
    const site = await Answering.start()
    onTestFinished(() => site.close())
    const own = new Set(publicEndpoints.map(nameOf))
    const served = endpointsOf(site.test.gateway.app, clientFamily)
    const passed = served.filter(endpoint => !own.has(nameOf(endpoint)))
    expect(passed.length).toBeGreaterThan(0)

    for (const endpoint of served) {
      const row = ROWS[own.has(nameOf(endpoint)) ? nameOf(endpoint) : PASSED]
      expect([nameOf(endpoint), 'rate' in endpoint && endpoint.rate]).toEqual([nameOf(endpoint), row?.count])
    }
  })

  it('needs no row for what only operators and probes reach on the admin listener', () => {
    const rates = adminEndpoints.flatMap(endpoint =>
      endpoint.who === 'operator' || endpoint.who === 'scraper' ? [] : [endpoint.rate],
    )

    expect(rates.filter(rate => rate !== 'operators' && rate !== 'probe')).toEqual([])
  })

  it.each(bounds)('says of %s what holds for an account, an address and all, and which tests hold it', (_, bound) => {
    const root = new URL('../../../', import.meta.url)
    expect([bound.account, bound.address, bound.all].filter(text => text === '')).toEqual([])
    expect(bound.tests.filter(path => !existsSync(fileURLToPath(new URL(path, root))))).toEqual([])
  })

  it('uses every bound that it has', () => {
    const used = [...Object.values(ROWS), ...Object.values(BESIDE_ENDPOINTS)]
    const unused = (kind: object, of: (row: (typeof used)[number]) => string) =>
      Object.keys(kind).filter(name => name !== 'operators' && !used.some(row => of(row) === name))

    expect(unused(BODIES, ({ body }) => body)).toEqual([])
    expect(unused(COUNTS, ({ count }) => count)).toEqual([])
    expect(unused(ANSWERS, ({ answer }) => answer)).toEqual([])
    expect(unused(KEPT, ({ kept }) => kept)).toEqual([])
  })

  it('stands in docs/limits.md as it is here', () => {
    const page = readFileSync(fileURLToPath(new URL('../../../docs/limits.md', import.meta.url)), 'utf8')
    const lines = bounds
      .filter(([name]) => name !== 'none' && name !== 'nothing')
      .map(([name, { account, address, all }]) => `| ${name} | ${account} | ${address} | ${all} |`)

    expect(lines.filter(line => !page.includes(line))).toEqual([])
  })
})
