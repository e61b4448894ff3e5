import { expect, it } from 'vitest'
import { claimsOfRules } from '../../src/policy/limits/rule-claim.ts'
import { readCell } from '../../src/policy/limits/rule-counter.ts'
import { judgedCells } from '../../src/policy/record.ts'
import { claimsOf } from '../adapters/store/fixtures.ts'

it('a record of a refusal has no cell in which nothing counts, whichever store it was read of', () => {
  const rule = { measure: 'requests', most: 3, per: '30d', of: 'plan' } as const
  const model = { name: 'svc-core', tier: 'basic' }
  const rules = claimsOfRules([rule], { terms: {} }, { plan: 'pro', model }) ?? []
  const counting = { index: 42_518, used: 2, held: 0 }
  const givenBack = { index: 42_519, used: 0, held: 0 }

  const [record] = judgedCells({ ...claimsOf(), rules }, [readCell([counting, givenBack], '30d', 42_519)])

  expect(record?.slice(2)).toEqual([42_519, 42_518, 2, 0])
})
