import { afterAll, beforeAll, expect, test } from 'vitest'
import { accountOf } from '../../../src/gateway/accounts/sign-in/sign-in.ts'
import { AUDIENCE, type Bench, startBench } from './bench.ts'
import { grownTo } from './forge.ts'

let bench: Bench
beforeAll(async () => {
  bench = await startBench()
})
afterAll(() => bench.close())

test.each(['RS256', 'PS256', 'ES256', 'EdDSA'])('a token the provider signed with %s is accepted', async alg => {
  const { oidc, identity } = bench
  const { accessToken } = await oidc.signIn('alice', alg)

  const judged = await identity.verify(accessToken)

  const [header, claims] = accessToken.split('.', 2).map(part => JSON.parse(Buffer.from(part, 'base64url').toString()))
  expect(header).toMatchObject({ alg, typ: 'at+jwt' })
  expect(judged).toEqual({
    account: accountOf(oidc.issuer, 'alice'),
    issuer: oidc.issuer,
    subject: 'alice',
    plan: 'pro',
    label: 'alice@example.com',
    issuedAt: claims.iat * 1000,
    expiresAt: claims.exp * 1000,
  })
})

test('a plan that is no text and a label of two lines are left out', async () => {
  const { accessToken } = await bench.oidc.signIn('bob')

  expect(await bench.identity.verify(accessToken)).toEqual({
    account: accountOf(bench.oidc.issuer, 'bob'),
    issuer: bench.oidc.issuer,
    subject: 'bob',
    issuedAt: expect.any(Number),
    expiresAt: expect.any(Number),
  })
})

test('two users have two accounts, and one user has one', async () => {
  const accounts = new Set()
  for (const user of ['alice', 'bob', 'alice']) {
    const { accessToken } = await bench.oidc.signIn(user)
    const judged = await bench.identity.verify(accessToken)
    accounts.add('account' in judged && judged.account)
  }

  expect(accounts.size).toBe(2)
})

const good: readonly (readonly [name: string, token: (bench: Bench) => string])[] = [
  ['of type application/at+jwt', ({ forge }) => forge({ header: { typ: 'application/at+jwt' } })],
  ['of type AT+JWT', ({ forge }) => forge({ header: { typ: 'AT+JWT' } })],
  ['whose audiences hold ours', ({ forge }) => forge({ claims: { aud: ['https://b.example.com', AUDIENCE] } })],
  ['one millisecond before its tolerance ends', ({ forge, now }) => forge({ claims: { exp: now() - 29 } })],
  ['that begins in 30 s', ({ forge, now }) => forge({ claims: { nbf: now() + 30 } })],
  ['issued 30 s from now', ({ forge, now }) => forge({ claims: { iat: now() + 30 } })],
  ['issued a day ago', ({ forge, now }) => forge({ claims: { iat: now() - 86_400 } })],
  ['of 8 KB', ({ forge }) => grownTo(8192, forge)],
  ['with a sub of 255 characters', ({ forge }) => forge({ claims: { sub: 's'.repeat(255) } })],
  ["with an ID token's claims but the type at+jwt", ({ forge }) => forge({ claims: { nonce: 'n', auth_time: 1 } })],
  ['without kid, where one key alone fits', ({ forge, key }) => forge({ key: key('rsa'), header: { kid: undefined } })],
]

test.each(good)('a token %s is accepted', async (_, make) => {
  expect(await bench.identity.verify(make(bench))).toHaveProperty('account')
})

test.each([{ scope: 'openid' }, { scp: ['use'] }, { scope: 'openid', azp: 'app', typ: 'Bearer', token_use: 'access' }])(
  'where JWT is allowed, one with %j is accepted',
  async claims => {
    const { verify } = bench.open({ tokenTypes: ['application/JWT'] })

    expect(await verify(bench.forge({ header: { typ: 'JWT' }, claims }))).toHaveProperty('account')
    expect(await verify(bench.forge({ claims }))).toHaveProperty('problem')
  },
)
