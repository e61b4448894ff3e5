import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type GroupEntry, type GroupGrants, grantsOf } from '../../src/policy/groups.ts'

/** A reading of `identity.groups` that takes the words of the documentation one at a time. */
function naively(claims: Readonly<Record<string, unknown>>, entries: readonly GroupEntry[]) {
  const granted: Record<string, GroupEntry> = {}
  for (const entry of entries) {
    if (!groupsOf(claims[entry.claim]).some(group => entry.is.some(text => isNamed(group, text)))) continue
    for (const field of ['plan', 'org', 'role'] as const)
      if (entry[field] !== undefined && granted[field] === undefined) granted[field] = entry
  }
  return granted
}

function groupsOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value
  return value === undefined ? [] : [value as string]
}

const isNamed = (group: string, text: string): boolean =>
  text.at(-1) === '*' ? group.indexOf(text.slice(0, -1)) === 0 : group === text

const claim = fc.constantFrom('groups', 'roles', 'https://example.com/groups')
const name = fc.constantFrom('ml', 'ml-', 'ml-ops', 'ml-ops-eu', 'sales', 'constructor', '__proto__', 'toString', '')
const text = fc.constantFrom('ml', 'ml-*', 'ml-ops', 'ml-ops*', 's*', 'constructor', '__proto__', 'to*')
const entry: fc.Arbitrary<GroupEntry> = fc
  .record(
    {
      claim,
      is: fc.uniqueArray(text, { minLength: 1, maxLength: 3 }),
      plan: fc.constantFrom('free', 'pro'),
      org: fc.constantFrom('ml', 'sales'),
      role: fc.constantFrom('viewer' as const, 'admin' as const),
    },
    { requiredKeys: ['claim', 'is'] },
  )
  .map(each => each as GroupEntry)
const groups = fc.oneof(fc.array(name, { maxLength: 4 }), name)

it('plan, org and role each come from the first entry that states them and names a group of the person', () => {
  fc.assert(
    fc.property(
      fc.record({ groups, roles: groups, 'https://example.com/groups': groups, sub: name }, { requiredKeys: [] }),
      fc.array(entry, { maxLength: 5 }),
      (claims, entries) => {
        expect(grantsOf(claims, entries)).toEqual(naively(claims, entries))
      },
    ),
  )
})

it('a claim in another form is never read as fewer groups', () => {
  const wrong = fc.oneof(
    fc.anything().filter(value => value !== undefined && typeof value !== 'string' && !Array.isArray(value)),
    fc
      .tuple(
        fc.array(name),
        fc.anything({ maxDepth: 1 }).filter(value => typeof value !== 'string'),
      )
      .map(([list, odd]) => [...list, odd]),
  )
  fc.assert(
    fc.property(wrong, fc.array(entry, { maxLength: 3 }), (groups, entries) => {
      const all = [...entries, { claim: 'groups', is: ['ml'], plan: 'pro' }]
      expect(grantsOf({ groups }, all)).toEqual({ fault: 'shape', claim: 'groups' })
    }),
  )
})

it.each<[string, Record<string, unknown>]>([
  ['names the claim in _claim_names', { _claim_names: { groups: 'src1' } }],
  ['names it there beside a list', { _claim_names: { groups: 'src1' }, groups: ['ml'] }],
  ['has _claim_names in another form', { _claim_names: 'groups', groups: ['ml'] }],
  ['sets hasgroups', { hasgroups: true }],
])('a token that %s has more groups than it lists, whoever it is of', (_, claims) => {
  expect(grantsOf(claims, [{ claim: 'groups', is: ['ml'], plan: 'pro' }])).toEqual({
    fault: 'overage',
    claim: 'groups',
  })
})

it('a reference for another claim leaves the groups readable', () => {
  const entries: GroupEntry[] = [{ claim: 'groups', is: ['ml'], plan: 'pro' }]
  expect(grantsOf({ _claim_names: { photos: 'src1' }, groups: ['ml'] }, entries)).toEqual({ plan: entries[0] })
})

it('ten thousand groups are refused unread, and a text of a megabyte is one group', () => {
  let reads = 0
  const many = new Proxy(
    Array.from({ length: 10_000 }, (_, index) => `g${index}`),
    {
      get: (list, key) => {
        reads++
        return Reflect.get(list, key)
      },
    },
  )
  const entries: GroupEntry[] = Array.from({ length: 100 }, (_, index) => ({
    claim: 'groups',
    is: [`g${index}*`],
    plan: 'pro',
  }))

  expect(grantsOf({ groups: many }, entries)).toEqual({ fault: 'many', claim: 'groups' })
  expect(reads).toBeLessThan(5)
  expect(grantsOf({ groups: 'x'.repeat(2 ** 20) }, entries)).toEqual({} satisfies GroupGrants)
})
