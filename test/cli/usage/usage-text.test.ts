import { expect, it } from 'vitest'
import { usageTable, wasteCsv, wasteTable } from '../../../src/cli/usage/text.ts'
import { nanoUsd } from '../../../src/policy/nano-usd.ts'
import type { UsageRecord } from '../../../src/wire/admin/usage-report.ts'

const record = (group: string, cost_nano_usd: number, usd: string): UsageRecord => ({
  group,
  requests: 1,
  input_tokens: 1000,
  cached_tokens: 0,
  cache_write_tokens: 0,
  output_tokens: 0,
  cost_nano_usd: nanoUsd(cost_nano_usd),
  usd,
})

it('dollars are added as integers and stand with their points below each other, also when one is negative', () => {
  const data = [
    record('a', 1_200_000_000_000, '1200'),
    record('b', 100_000_000, '0.1'),
    record('c', 200_000_000, '0.2'),
    record('d', -3, '-0.000000003'),
  ]

  expect(usageTable({ object: 'list', by: 'plan', since: null, data, waste: [] }).split('\n')).toEqual([
    'PLAN   REQUESTS  TOKENS IN  CACHED  CACHE WRITES  TOKENS OUT             USD',
    'a             1       1000       0             0           0  1200',
    'b             1       1000       0             0           0     0.1',
    'c             1       1000       0             0           0     0.2',
    'd             1       1000       0             0           0    -0.000000003',
    'TOTAL         4       4000       0             0           0  1200.299999997',
    '',
  ])
})

it('savings of caches have a column where there are any, empty where they are unknown', () => {
  const data = [
    { ...record('a', 5, '0.000000005'), saved_nano_usd: nanoUsd(1_000_000_000), saved_usd: '1' },
    { ...record('b', 7, '0.000000007'), saved_nano_usd: nanoUsd(54_000), saved_usd: '0.000054' },
    record('c', 0, '0'),
  ]

  expect(usageTable({ object: 'list', by: 'plan', since: null, data, waste: [] }).split('\n')).toEqual([
    'PLAN   REQUESTS  TOKENS IN  CACHED  CACHE WRITES  TOKENS OUT     SAVED          USD',
    'a             1       1000       0             0           0  1         0.000000005',
    'b             1       1000       0             0           0  0.000054  0.000000007',
    'c             1       1000       0             0           0            0',
    'TOTAL         3       3000       0             0           0  1.000054  0.000000012',
    '',
  ])
})

it('an account whose label nobody knows any more keeps its place', () => {
  const shown = usageTable({ object: 'list', by: 'account', since: null, data: [record('acct_1', 0, '0')], waste: [] })

  expect(shown).toBe(
    'ACCOUNT  ID      REQUESTS  TOKENS IN  CACHED  CACHE WRITES  TOKENS OUT  USD\n         acct_1         1       1000       0             0           0    0\nTOTAL                   1       1000       0             0           0    0\n',
  )
})

it('waste has a line for each pool, and a sum where people read it', () => {
  const waste = [
    {
      pool: 'cloud',
      attempts: 2,
      input_tokens: 1000,
      cached_tokens: 800,
      cache_write_tokens: 90,
      output_tokens: 7,
      cost_nano_usd: nanoUsd(1_500_000_000),
      usd: '1.5',
    },
    {
      ...{ pool: 'near', attempts: 1, input_tokens: 9, cached_tokens: 0, cache_write_tokens: 0, output_tokens: 0 },
      ...{ cost_nano_usd: nanoUsd(20), usd: '0.00000002' },
    },
  ]
  const report = { object: 'list', by: 'day', since: null, data: [], waste } as const

  expect(wasteTable(report).split('\n')).toEqual([
    'POOL   FAILED ATTEMPTS  TOKENS IN  CACHED  CACHE WRITES  TOKENS OUT         USD',
    'cloud                2       1000     800            90           7  1.5',
    'near                 1          9       0             0           0  0.00000002',
    'TOTAL                3       1009     800            90           7  1.50000002',
    '',
  ])
  expect(wasteCsv(report)).toBe(
    'pool,attempts,input_tokens,output_tokens,cost_nano_usd,usd,cached_tokens,cache_write_tokens\r\ncloud,2,1000,7,1500000000,1.5,800,90\r\nnear,1,9,0,20,0.00000002,0,0\r\n',
  )
})
