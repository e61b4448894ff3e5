import fc from 'fast-check'
import { expect, it } from 'vitest'
import { plainLabel } from '../../../src/gateway/accounts/accounts.ts'
import { signInOf } from '../../../src/gateway/accounts/sign-in/claims.ts'
import { outcomeOf, send } from '../../http/calls.ts'
import { ADMIN_TOKEN } from '../../support/gateway.ts'
import { gatewayTest } from '../../support/gateway-test.ts'

/** Each looks like the label behind it, or like none. */
const LOOK_ALIKES: readonly (readonly [what: string, label: string, looksLike: string])[] = [
  ['full-width letters', '\uff41\uff43\uff43\uff54_x', 'acct_x'],
  ['an accent that stands alone', 'ada\u0301', 'ad\u00e1'],
  ['a ligature', '\ufb01nn', 'finn'],
  ['a blank of another width', 'ada\u2003lovelace', 'ada lovelace'],
  ['a mathematical letter', '\u{1d41a}da', 'ada'],
  ['a letter without a shape', 'ada\u3164', 'ada'],
  ['a mark that joins nothing', 'a\u034fda', 'ada'],
  ['an empty pattern of Braille', 'ada\u2800', 'ada'],
]

it.each(LOOK_ALIKES)('%s is not the form of a label, and what it looks like is', (_, label, looksLike) => {
  expect(plainLabel(label)).toBe(looksLike)
  expect(plainLabel(looksLike)).toBe(looksLike)
})

it('the plain form of a label is its own plain form', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), text => {
      expect(plainLabel(plainLabel(text))).toBe(plainLabel(text))
    }),
  )
})

it.each([
  ...LOOK_ALIKES.map(([, label]) => [label, undefined] as const),
  ['ad\u00e1@example.com', 'ad\u00e1@example.com'] as const,
])('a sign-in with the label %j is called %j', (email, label) => {
  const claims = { sub: 'ada', exp: 1_800_000_000, email }

  expect(signInOf(claims, { issuer: 'https://issuer', labelClaim: 'email' })?.label).toBe(label)
})

gatewayTest(
  'a mint opens no account under a label that only looks like one, and says which it looks like',
  async ({ gateway }) => {
    const mint = (account: string) =>
      send({ url: gateway.admin }, 'POST /admin/keys', { token: ADMIN_TOKEN, body: { account, plan: 'pro' } })

    for (const [what, label, looksLike] of LOOK_ALIKES) {
      const told = await mint(label)
      expect(outcomeOf(told), what).toBe('400 VALIDATION_ERROR')
      expect(told.text, what).toContain(looksLike)
    }
    expect(outcomeOf(await mint('ad\u00e1'))).toBe('200')
  },
)

gatewayTest(
  'what is called like something else is refused by the name of the other one: accounts, keys and orgs',
  async ({ gateway }) => {
    const admin = (path: string, body: object) =>
      send({ url: gateway.admin }, `POST /admin/${path}`, { token: ADMIN_TOKEN, body })
    const opened = JSON.parse((await admin('keys', { account: 'ada@example.com', plan: 'pro' })).text)
    const ci = JSON.parse((await admin('keys', { account: 'ada@example.com', name: 'ci' })).text)
    await admin('accounts/org', { account: 'ada@example.com', org: 'org:acme' })
    await admin('keys', { account: 'bob', plan: 'pro' })

    const refused: readonly (readonly [string, Awaited<ReturnType<typeof send>>])[] = [
      [opened.account, await admin('keys', { account: 'Ada@example.com', plan: 'pro' })],
      ['ada@example.com', await admin('keys', { account: '\u0430da@example.com', plan: 'pro' })],
      [ci.id, await admin('keys', { account: 'ada@example.com', name: 'CI' })],
      [ci.id, await admin('keys', { account: opened.account, name: '\u0441i' })],
      ['org:acme', await admin('accounts/org', { account: 'bob', org: 'org:Acme' })],
    ]
    for (const [other, answer] of refused) {
      expect(outcomeOf(answer), other).toBe('400 VALIDATION_ERROR')
      expect(answer.text).toContain(other)
    }
  },
)
