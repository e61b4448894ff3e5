import { describe, expect, it } from 'vitest'
import { limitsTable } from '../../../src/cli/kit/limits-table.ts'
import { quotaTable } from '../../../src/cli/quota/quota.ts'
import type { ShownLimitUse } from '../../../src/wire/admin/limit-use.ts'
import { atWidth } from '../at-width.ts'
import { standing } from './tail/events.ts'

const use = (more: Partial<ShownLimitUse>): ShownLimitUse => ({
  ...{ measure: 'requests', per: 'minute', of: 'account', model: null, key: null },
  ...{ limit: '120', used: '3', held: '0', remaining: '117', resets_at: '2026-11-21T12:01:01.000Z' },
  ...more,
})

const ofKey = use({
  measure: 'usd',
  per: 'week',
  of: 'key',
  key: 'key_1',
  limit: '5',
  used: '4.5',
  held: '0.25',
  remaining: '0.25',
})
const ofUsers = use({ per: 'day', of: 'user', used: null, held: null, remaining: null, resets_at: null })
const ruled = standing('ada', { limits: [use({}), ofKey, ofUsers] })
const plain = standing('bob', { limits: [use({ used: '119' })] })

describe('svcctl quota show', () => {
  it('has the fullest limit of each account in a column, where any has limits without one', () => {
    const [head = '', ...rows] = quotaTable([ruled, plain]).split('\n')

    expect(head).toContain('FULLEST')
    expect(rows.find(row => row.startsWith('ada'))).toContain('95% usd per week of key')
    expect(rows.find(row => row.startsWith('bob'))).toContain('99% requests per minute')
    expect(quotaTable([plain])).not.toContain('FULLEST')
  })

  it.each([60, 80, 100, 140])('is no wider than a terminal of %d columns', columns => {
    for (const table of [() => quotaTable([ruled, plain]), () => limitsTable(ruled.limits)])
      expect(
        atWidth(columns, table)
          .split('\n')
          .filter(line => line.length > columns),
      ).toEqual([])
  })

  it('of one account has every limit, and no amounts of those that each end user has', () => {
    const [, ...rows] = limitsTable(ruled.limits)
      .split('\n')
      .map(row => row.trim().split(/ {2,}/))

    expect(rows).toEqual([
      ['requests per minute', '120', '3', '0', '117', '2026-11-21T12:01:01Z'],
      ['usd per week of key', 'key_1', '$5.00', '$4.50', '$0.25', '$0.25', '2026-11-21T12:01:01Z'],
      ['requests per day of user', '120', '-', '-', '-', '-'],
    ])
  })
})
