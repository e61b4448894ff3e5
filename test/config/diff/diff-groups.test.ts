import { expect, it } from 'vitest'
import { groupsRule } from '../../../src/config/diff/groups.ts'
import type { GroupEntry } from '../../../src/policy/groups.ts'

const entry = (is: string, grants: Partial<GroupEntry>): GroupEntry => ({ claim: 'groups', is: [is], ...grants })
const textsOf = (from: readonly GroupEntry[], to: readonly GroupEntry[]) =>
  groupsRule(from, to, 'identity').map(({ text }) => text)

it('plan says whose plan, org, role and limits change, by the group that they are in', () => {
  const before = [entry('ml-*', { plan: 'free', org: 'ml' })]
  const after = [
    entry('ml-leads', { plan: 'pro', role: 'viewer', limits: [{ measure: 'requests', most: 9, per: 'day' }] }),
    entry('ml-*', { plan: 'free', org: 'labs' }),
  ]

  expect(textsOf(before, after)).toEqual([
    'members of ml-leads get plan pro, no longer plan free',
    'members of ml-leads get limits of their own (9 requests a day (UTC)), no longer the limits of their plan alone',
    'members of ml-* get org:labs, no longer org:ml',
    'members of ml-leads get org:labs, no longer org:ml',
    'members of ml-leads get the role viewer, no longer no role',
  ])
  expect(textsOf(after, after)).toEqual([])
})

it('another order of entries changes members of both groups alone, and plan names them', () => {
  const [ml, sales] = [entry('ml', { plan: 'pro' }), entry('sales', { plan: 'free' })]

  expect(textsOf([ml, sales], [sales, ml])).toEqual(['members of both ml and sales get plan free, no longer plan pro'])
})
