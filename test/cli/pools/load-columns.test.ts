import { expect, it } from 'vitest'
import { poolsText } from '../../../src/cli/pools/pools.ts'
import type { ShownPool, ShownReplica } from '../../../src/wire/admin/pool.ts'

const NOW = Date.UTC(2026, 10, 28, 12)
const at = new Date(NOW).toISOString()

const pool = (loads: readonly ShownReplica['load'][]): ShownPool => ({
  ...{ pool: 'onprem', site: 'on-premises', model: 'm', models: ['svc-core'], drained: false },
  ...{ in_flight: 3, waiting: 0, max_concurrent: null, hour_usd: null, max_usd_per_hour: null },
  ...{ requests_10s: 0, retries_10s: 0 },
  replicas: loads.map((load, index) => ({
    ...{ replica: index + 1, url: `http://${index}/v1`, state: 'closed', in_flight: 1, failures: 0 },
    ...{ retry_in_ms: 0, last_probe: null },
    ...(load !== undefined && { load }),
  })),
})

it('replicas show what their engines report, and leave out what no longer counts', () => {
  const load = { running: 3, waiting: 12, kv_usage: 0.256, at, stale: false }
  const text = poolsText([pool([load, { ...load, kv_usage: null }, { ...load, stale: true }, null])], NOW)
  const cells = text.split('\n').map(line => line.trim().split(/ {2,}/).slice(3, 7))
  expect(cells.filter(({ length }) => length > 0)).toEqual([
    ['IN-FLIGHT', 'RUNNING', 'WAITING', 'KV'],
    ['1', '3', '12', '26%'],
    ['1', '3', '12', '-'],
    ['1', '?', '?', '?'],
    ['1', '?', '?', '?'],
  ])
})

it('the columns are there only where a pool declares load', () => {
  expect(poolsText([pool([undefined])], NOW)).not.toContain('RUNNING')
  const busy = { ...pool([undefined]), busy: '9 requests wait at its least loaded replica, more than 8' }
  expect(poolsText([busy], NOW)).toContain('BUSY (9 requests wait at its least loaded replica, more than 8)')
})
