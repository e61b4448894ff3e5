import { expect, it } from 'vitest'
import { usageTable } from '../../src/cli/usage-text.ts'
import type { UsageRecord } from '../../src/wire/report.ts'

const record = (group: string, cost_nano_usd: number, usd: string): UsageRecord => ({
  group,
  requests: 1,
  input_tokens: 1000,
  output_tokens: 0,
  cost_nano_usd,
  usd,
})

it('dollars are added as integers and stand with their points below each other, also when one is negative', () => {
  const data = [
    record('a', 1_200_000_000_000, '1200'),
    record('b', 100_000_000, '0.1'),
    record('c', 200_000_000, '0.2'),
    record('d', -3, '-0.000000003'),
  ]

  expect(usageTable({ object: 'list', by: 'plan', since: null, data }).split('\n')).toEqual([
    'PLAN   REQUESTS  INPUT  OUTPUT             USD',
    'a             1   1000       0  1200',
    'b             1   1000       0     0.1',
    'c             1   1000       0     0.2',
    'd             1   1000       0    -0.000000003',
    'TOTAL         4   4000       0  1200.299999997',
    '',
  ])
})

it('an account whose label nobody knows any more keeps its place', () => {
  const shown = usageTable({ object: 'list', by: 'account', since: null, data: [record('acct_1', 0, '0')] })

  expect(shown).toBe(
    'ACCOUNT  LABEL  REQUESTS  INPUT  OUTPUT  USD\nacct_1                 1   1000       0    0\nTOTAL                  1   1000       0    0\n',
  )
})
