import { expect, it } from 'vitest'
import { widthOf } from '../../../src/cli/kit/table.ts'
import { poolsText } from '../../../src/cli/pools/pools.ts'
import type { ShownPool } from '../../../src/wire/admin/pool.ts'
import type { ShownCaching } from '../../../src/wire/admin/pool-caching.ts'
import type { ShownReplica } from '../../../src/wire/admin/pool-replica.ts'
import { atWidth } from '../at-width.ts'

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

const LOAD = { running: 3, waiting: 12, kv_usage: 0.256, at, stale: false }
const CACHING = { balance: 'prefix', caches: 'account', isolated: true, expected_tokens: 8000 } as const

/** A pool whose replicas counted so many prompt tokens, and found so many in their caches. */
function cachingPool(counts: readonly (readonly [number, number] | undefined)[], more: Partial<ShownCaching> = {}) {
  const sum = (place: 0 | 1) => counts.reduce((total, count) => total + (count?.[place] ?? 0), 0)
  const { replicas, ...rest } = pool(counts.map(() => LOAD))
  return {
    ...rest,
    caching: { ...CACHING, prompt_tokens: sum(0), cached_tokens: sum(1), ...more },
    replicas: replicas.map((replica, index) => {
      const [prompt_tokens, cached_tokens] = counts[index] ?? []
      if (prompt_tokens === undefined || cached_tokens === undefined) return replica
      return { ...replica, caching: { prompt_tokens, cached_tokens } }
    }),
  }
}

const cachedColumn = (text: string) => {
  const [header = '', ...lines] = text.split('\n')
  const from = header.indexOf('CACHED')
  return lines
    .filter(line => line.startsWith('  ') && line.includes('http'))
    .map(line => line.slice(from, from + 6).trim())
}

it('replicas show the share of their prompt tokens that they found cached, rounded down', () => {
  const text = poolsText([cachingPool([[10_000, 9999], [500, 0], undefined])], NOW)
  expect(cachedColumn(text)).toEqual(['99%', '0%', '-'])
  expect(text).toContain('  found 95% of 10,500 prompt tokens in caches; balance: prefix, caches: account')
})

it('the column is there only where a pool finds prompts or expects to, and empty for the others', () => {
  const unread = cachingPool([[10_000, 0]], { expected_tokens: 0 })
  expect(poolsText([unread], NOW)).not.toContain('CACHED')
  expect(cachedColumn(poolsText([unread, cachingPool([[100, 50]])], NOW))).toEqual(['-', '50%'])
})

it('a pool that keeps no accounts apart shows it before its first request, unless the files say that it may', () => {
  const idle = (more: Partial<ShownCaching>) =>
    poolsText([cachingPool([undefined], { expected_tokens: 0, isolated: false, ...more })], NOW)
  expect(idle({})).toContain('\n  caches: account (not isolated: its backends take no cache_salt)')
  expect(idle({ caches: 'pool' })).not.toContain('isolated')
  expect(idle({ isolated: true })).not.toContain('isolated')
})

it.each([
  [90, []],
  [80, ['FAILURES']],
  [66, ['FAILURES', 'PROBE']],
  [60, ['IN-FLIGHT', 'FAILURES', 'PROBE']],
  [50, ['IN-FLIGHT', 'KV', 'FAILURES', 'PROBE']],
  [45, ['IN-FLIGHT', 'KV', 'CACHED', 'FAILURES', 'PROBE']],
])('a terminal of %i columns shows what matters most, and names the rest', (columns, hidden) => {
  const text = atWidth(columns, () => poolsText([cachingPool([[100, 50]])], NOW))
  const [header = '', ...lines] = text.split('\n')
  expect(
    lines
      .join('\n')
      .replaceAll('\n', ' ')
      .match(/Not shown: ([^.]*)/)?.[1]
      ?.split(', ') ?? [],
  ).toEqual(hidden)
  expect(header).toMatch(/RUNNING +WAITING/)
  expect(text.split('\n').filter(line => line.includes('http') && widthOf(line) > columns)).toEqual([])
})
