import { createPublicKey } from 'node:crypto'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { ServiceAccounts } from '../../../src/config/settings.ts'
import { isBadToken } from '../../../src/gateway/accounts/sign-in/sign-in.ts'
import { newKey, type PrivateKey } from '../../support/identity/oidc-keys.ts'
import type { Draft } from './forge.ts'
import { startScripted } from './scripted-provider.ts'

const entry = (name: string, claims: Record<string, string | string[]>, more: Partial<ServiceAccounts> = {}) => ({
  name,
  claims: new Map(Object.entries(claims).map(([claim, texts]) => [claim, [texts].flat()])),
  accountClaim: 'sub',
  plan: 'pro',
  ...more,
})

const ACCOUNTS: readonly ServiceAccounts[] = [
  entry('deploy', { repository: 'acme/app', ref: ['refs/heads/main', 'refs/tags/*'] }, { accountClaim: 'repository' }),
  entry('ci', { repository: 'acme/*' }, { accountClaim: 'repository', plan: 'free' }),
  entry('cluster', { sub: 'system:serviceaccount:ml:*' }),
]

let key: PrivateKey
let provider: Awaited<ReturnType<typeof startScripted>>

beforeAll(async () => {
  key = await newKey('RS256')
})

beforeEach(async () => {
  const { kty, kid, use, n, e } = key
  const jwks = { keys: [{ kty, kid, use, n, e }] }
  provider = await startScripted(() => ({ jwks }), { accounts: ACCOUNTS })
})

afterEach(() => provider.close())

/** The token that a build of this repository is given. */
const built = (claims: object, draft: Draft = {}) =>
  provider.forge(key, { header: { typ: 'JWT' }, claims: { sub: 'repo:acme/app', ...claims }, ...draft })
const judge = (token: string) => provider.identity.verify(token)
const accepted = async (token: string) => {
  const judged = await judge(token)
  if (isBadToken(judged)) throw new Error(judged.problem)
  return judged
}
const problem = async (token: string) => {
  const judged = await judge(token)
  return isBadToken(judged) ? judged.problem : 'accepted'
}
const MAIN = { repository: 'acme/app', ref: 'refs/heads/main' }

describe('the account of a service', () => {
  it('is that of the first entry whose claims its token has', async () => {
    expect(await accepted(built(MAIN))).toMatchObject({ plan: 'pro', label: 'acme/app', isService: true })
    expect(await accepted(built({ ...MAIN, ref: 'refs/tags/v1' }))).toMatchObject({ plan: 'pro' })
    expect(await accepted(built({ ...MAIN, ref: 'refs/heads/main2' }))).toMatchObject({ plan: 'free' })
    expect(await accepted(built({ repository: 'acme/other' }))).toMatchObject({ plan: 'free', label: 'acme/other' })
  })

  it('is one for each value of its claim, and another one in each entry, so that the plan of one is not that of another', async () => {
    const main = await accepted(built(MAIN))
    const accounts = [
      (await accepted(built({ ...MAIN, run_id: '7' }))).account,
      (await accepted(built({ repository: 'acme/app' }))).account,
      (await accepted(built({ repository: 'acme/other' }))).account,
      (await accepted(built({ sub: 'system:serviceaccount:ml:train' }))).account,
    ]

    expect(accounts[0]).toBe(main.account)
    expect(new Set(accounts).size).toBe(4)
  })

  it.each([
    ['a repository that begins alike', { repository: 'acme-evil/app' }],
    ['a claim that is no text', { repository: ['acme/app'] }],
    ['no claim at all', {}],
    ['the namespace beside', { sub: 'system:serviceaccount:ml2:train' }],
    ['a claim by inheritance', { __proto__: { repository: 'acme/app' } }],
  ])('is none for a token with %s', async (_what, claims) => {
    expect(await problem(built(claims))).toContain('its claims match no entry of its issuer')
  })
})

describe('the token of a service', () => {
  it('may be of no type, as those of Kubernetes, and is no logout token', async () => {
    expect(await accepted(built(MAIN, { header: { typ: undefined } }))).toMatchObject({ plan: 'pro' })
    expect(await problem(built(MAIN, { header: { typ: 'logout+jwt' } }))).toContain('others are not accepted')
  })

  it('is refused unsigned, and signed with the public key as a secret', async () => {
    const pem = String(createPublicKey({ key: { ...key }, format: 'jwk' }).export({ type: 'spki', format: 'pem' }))
    const symmetric = built(MAIN, { header: { typ: 'JWT', alg: 'HS256' }, key: pem })

    expect(await problem(symmetric)).toContain('other algorithms are not accepted')
    const [head = '', body = ''] = built(MAIN, { header: { typ: 'JWT', alg: 'none' }, alg: 'RS256' }).split('.')
    expect(await problem(`${head}.${body}.`)).toContain('not a signed JWT')
    expect(await problem(`${head}.${body}.AAAA`)).toContain('other algorithms are not accepted')
  })

  it('is for this audience alone, and ends 30 s after its end, also where it was accepted a moment before', async () => {
    expect(await problem(built({ ...MAIN, aud: 'https://other.example.com' }))).toContain('this one is for another')
    const token = built({ ...MAIN, exp: provider.clock.now() / 1000 + 100 })
    expect(await problem(token)).toBe('accepted')
    provider.clock.advance(129_000)
    expect(await problem(token)).toBe('accepted')
    provider.clock.advance(1000)
    expect(await problem(token)).toContain('too old')
  })

  it('of a key that nobody has seen asks its issuer once in five seconds, however many come', async () => {
    await accepted(built(MAIN))
    provider.clock.advance(5000)
    const before = provider.reads()
    for (let n = 0; n < 50; n++)
      expect(await problem(built(MAIN, { header: { kid: `made-up-${n}` } }))).toContain('key')

    expect(provider.reads()).toBe(before + 1)
  })
})
