import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readFilter, readPatch, readReplacement, readUserId, userIdOf } from '../../../src/wire/scim/users.ts'

const patch = (...Operations: unknown[]) => readPatch({ Operations } as never)

it.each<[string, unknown]>([
  ['Okta', { op: 'replace', value: { active: false } }],
  ['Entra', { op: 'Replace', path: 'active', value: 'False' }],
  ['Entra with the flag of RFC 7644', { op: 'replace', path: 'active', value: false }],
  ['Entra in older forms', { op: 'Replace', path: 'active', value: [{ $ref: null, value: 'False' }] }],
  [
    'a client that writes the schema',
    { op: 'add', path: 'urn:ietf:params:scim:schemas:core:2.0:User:active', value: false },
  ],
])('a deactivation as %s writes it is read', (_, operation) => {
  expect(patch(operation)).toEqual({ active: false })
})

it.each<[string, unknown]>([
  ['an unknown word', { op: 'replace', path: 'active', value: 'no' }],
  ['null', { op: 'replace', value: { active: null } }],
  ['a removal', { op: 'remove', path: 'active' }],
  ['no operation', 7],
])('%s is refused, so that nobody stays active by a misreading', (_, operation) => {
  expect(patch(operation)).toMatchObject({ status: 400 })
})

it('a change of other attributes says nothing of being active, and a whole user without it is active', () => {
  expect(patch({ op: 'replace', path: 'name.familyName', value: 'Lovelace' })).toEqual({})
  expect(readReplacement({ userName: 'ada', active: false })).toEqual({ active: false })
  expect(readReplacement({ userName: 'ada' })).toEqual({ active: true })
})

it('an id gives back the names that it was made of, and no other text is one', () => {
  const name = fc.string({ minLength: 1, maxLength: 255, unit: 'grapheme' }).filter(text => text.length <= 255)
  fc.assert(
    fc.property(name, name, fc.string(), (externalId, userName, other) => {
      const id = userIdOf({ externalId, userName })
      expect(readUserId(id)).toEqual({ externalId, userName })
      if (!/^[\w-]+$/.test(other)) expect(readUserId(other)).toBeUndefined()
    }),
  )
  for (const id of ['', 'acct_1', 'W10', Buffer.from('["a"]').toString('base64url'), '__proto__'])
    expect(readUserId(id)).toBeUndefined()
})

it.each([
  'userName eq "ada" or active eq true',
  'userName eq "a" and externalId eq "b"',
  'externalId eq "a" or "1" eq "1"',
  'userName sw "a"',
  'emails[type eq "work"].value eq "ada"',
  'externalId eq ada',
  'externalId eq "a\\u0022"',
  'externalId eq "',
  `externalId eq "${'x'.repeat(2000)}"`,
])('the filter %s is refused', filter => {
  expect(readFilter(filter)).toMatchObject({ status: 400, scimType: 'invalidFilter' })
})

it('a filter is one text, whatever it holds', () => {
  expect(readFilter('userName eq "ada@example.com"')).toEqual({ attribute: 'username', value: 'ada@example.com' })
  expect(readFilter('externalId eq "a\\" or \\"b"')).toEqual({ attribute: 'externalid', value: 'a" or "b' })
})
