import { describe, expect, it } from 'vitest'
import { widthOf } from '../../../src/cli/kit/table.ts'
import { poolsText } from '../../../src/cli/pools/pools.ts'
import { fleetPools } from '../../../src/wire/admin/fleet-pools.ts'
import type { ShownPool } from '../../../src/wire/admin/pool.ts'
import type { ShownReplica } from '../../../src/wire/admin/pool-replica.ts'
import { atWidth } from '../at-width.ts'

const NOW = Date.parse('2026-11-21T10:00:00Z')

const replica = (number: number, more: Partial<ShownReplica> = {}): ShownReplica => ({
  ...{ replica: number, url: `http://10.0.3.${number}:8000/v1`, state: 'closed', in_flight: 10, failures: 0 },
  retry_in_ms: null,
  last_probe: { ok: true, status: 200, error: null, ms: 12, at: new Date(NOW - number * 1000).toISOString() },
  ...more,
})
const pool = (name: string, replicas: readonly ShownReplica[], more: Partial<ShownPool> = {}): ShownPool => ({
  ...{ pool: name, site: 'on-premises', model: 'big-model', models: ['svc-core'], drained: false, in_flight: 20 },
  ...{ waiting: 1, max_concurrent: 50, hour_usd: '0.12', max_usd_per_hour: '5', requests_10s: 90, retries_10s: 0 },
  replicas,
  ...more,
})
const fleet = fleetPools(
  [
    { gateway: 'gw-1:7', pools: [pool('onprem', [replica(1), replica(2)])] },
    {
      gateway: 'gw-2:7',
      pools: [
        pool('onprem', [replica(1), replica(2, { state: 'open', failures: 5, retry_in_ms: 3200 })]),
        pool('cloud', [replica(9)], { max_concurrent: null }),
      ],
    },
    { gateway: 'gw-3:7', pools: [pool('onprem', [replica(2, { replica: 1, state: 'half-open' }), replica(3)])] },
  ],
  [{ gateway: 'gw-4:7', problem: 'it does not answer at http://10.0.0.8:9090: ECONNREFUSED' }],
)

describe.each([80, 120, 200])('in %s columns', columns => {
  it('pools of a fleet are their golden text', async () => {
    const text = atWidth(columns, () => poolsText(fleet.data, NOW, fleet.gateways.length))

    await expect(`${text}\n`).toMatchFileSnapshot(`../golden/pools-fleet-${columns}.txt`)
    expect(text.split('\n').filter(line => widthOf(line) > columns)).toEqual([])
  })
})

it('what the caches of a replica had is added up over the gateways that sent it prompts', () => {
  const caching = (prompt_tokens: number, cached_tokens: number) => ({ caching: { prompt_tokens, cached_tokens } })
  const gateways = [
    { gateway: 'gw-1:7', pools: [pool('onprem', [replica(1, caching(1000, 900)), replica(2)])] },
    { gateway: 'gw-2:7', pools: [pool('onprem', [replica(2, caching(40, 30)), replica(1, caching(500, 0))])] },
  ]
  const [{ replicas = [] } = {}] = fleetPools(gateways, []).data
  expect(replicas.map(each => each.caching)).toEqual([caching(1500, 900).caching, caching(40, 30).caching])
})

it('gateways share the budget of the copies that a pool gets, and the newest copy is that of all', () => {
  const copies = {
    ...{ model: 'svc-core', sample: '5%', from: ['onprem'], across_sites: false },
    ...{ day_usd: '1.2', max_usd_per_day: '5' },
  }
  const newest = (at: string, outcome: 'well' | 'failed') => ({ at, outcome, text: outcome })
  const known = (gateway: string, more: object) => ({
    gateway,
    pools: [pool('new', [replica(1)], { copies: [{ ...copies, ...more }] })],
  })
  const [first, last] = [newest('2026-11-21T09:00:00.000Z', 'failed'), newest('2026-11-21T09:30:00.000Z', 'well')]
  const views = [known('gw-1:7', { day_usd: null, newest: first }), known('gw-2:7', { newest: last })]
  const { data } = fleetPools(views, [])

  expect(data[0]?.copies).toEqual([{ ...copies, newest: last }])
})

it('what runs at each gateway is added up; a replica has the state that needs an operator most, and who sees it', () => {
  expect(fleet).toMatchObject({ gateways: ['gw-1:7', 'gw-2:7', 'gw-3:7'], unreached: [{ gateway: 'gw-4:7' }] })
  expect(fleet.data).toMatchObject([
    {
      pool: 'onprem',
      in_flight: 60,
      max_concurrent: 150,
      hour_usd: '0.12',
      replicas: [
        { replica: 1, url: 'http://10.0.3.1:8000/v1', state: 'closed', in_flight: 20 },
        { replica: 2, url: 'http://10.0.3.2:8000/v1', state: 'open', in_flight: 30, failures: 5, retry_in_ms: 3200 },
        { replica: 3, url: 'http://10.0.3.3:8000/v1', state: 'closed', in_flight: 10 },
      ],
    },
    { pool: 'cloud', max_concurrent: null, in_flight: 20 },
  ])
  expect(fleet.data[0]?.replicas.map(({ seen_by }) => seen_by)).toEqual([undefined, ['gw-2:7'], undefined])
})
