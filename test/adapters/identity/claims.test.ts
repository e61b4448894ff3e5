import fc from 'fast-check'
import { expect, test } from 'vitest'
import { signInOf } from '../../../src/gateway/accounts/sign-in/claims.ts'
import { accountOf } from '../../../src/gateway/accounts/sign-in/sign-in.ts'

const ISSUER = 'https://id.example.com'
const options = { issuer: ISSUER, planClaim: 'https://example.com/plan', labelClaim: 'email' }
const judge = (claims: object) => signInOf({ sub: 'alice', exp: 1_795_255_200.5, ...claims }, options)
const label = (email: unknown) => judge({ email })?.label

test('an account is acct_ and 40 hex digits, and the same every time', () => {
  expect(accountOf(ISSUER, 'alice')).toBe('acct_0b266e1086b32920169e88f4b7fa5502113c9c3d')
})

test('characters moved between issuer and subject make another account', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '"', ',', '[', ']', '\\', '/', ':', '\0', ' ') })
  fc.assert(
    fc.property(text, text, text, text, (a, b, c, d) => {
      fc.pre(a !== c || b !== d)
      expect(accountOf(a, b)).not.toBe(accountOf(c, d))
    }),
  )
  for (const [a, b, c, d] of [
    ['https://a', 'bc', 'https://ab', 'c'],
    ['https://a', '', '', 'https://a'],
    ['a","b', 'c', 'a', 'b","c'],
    ['a', '\ud800', 'a', '\ud801'],
    ['a', '\ud800', 'a', '\ufffd'],
  ] as const)
    expect(accountOf(a, b)).not.toBe(accountOf(c, d))
})

test('a sign-in has its plan by the configured claim, and its end in milliseconds', () => {
  expect(judge({ 'https://example.com/plan': 'pro', plan: 'other', email: 'alice@example.com' })).toEqual({
    account: accountOf(ISSUER, 'alice'),
    issuer: ISSUER,
    subject: 'alice',
    plan: 'pro',
    label: 'alice@example.com',
    issuedAt: expect.any(Number),
    expiresAt: 1_795_255_200_500,
  })
})

test.each([[''], [7], [null], [['pro']], [{}], [true]])('%j is no plan and no label', value => {
  const judged = judge({ 'https://example.com/plan': value, email: value })

  expect(judged).not.toHaveProperty('plan')
  expect(judged).not.toHaveProperty('label')
})

test.each(['Ann Onym', 'Žofie <z@example.com>', '李雷', '👩', 'x'.repeat(200)])('%j is a label', text => {
  expect(label(text)).toBe(text)
})

test.each([
  'two\nlines',
  'a\r',
  'tab\t',
  'esc\u001b[31m',
  'a\u2028b',
  'a\u0085b',
  'a\u202egnp.exe',
  '\ud800',
  'x'.repeat(201),
  'a\u200bda',
  '\ufeffada',
  'ada\u{e0041}',
  ' ada',
  'ada\u3000',
  `acct_${'5a'.repeat(20)}`,
  'dev_x',
])('%j is no label', text => {
  expect(label(text)).toBeUndefined()
})

test.each(['pro\n▲ all is well', 'pro\u202e', 'x'.repeat(201)])('%j is no plan', text => {
  expect(judge({ 'https://example.com/plan': text })).not.toHaveProperty('plan')
})

test('claims every object has are not taken for a plan', () => {
  const judged = signInOf(
    { sub: 'alice', exp: 1 },
    { issuer: ISSUER, planClaim: 'constructor', labelClaim: '__proto__' },
  )

  expect(judged).toEqual({
    account: accountOf(ISSUER, 'alice'),
    issuer: ISSUER,
    subject: 'alice',
    issuedAt: 0,
    expiresAt: 1000,
  })
})
