import { afterEach, beforeEach, expect, test } from 'vitest'
import { RecentTokens } from '../../../src/adapters/identity/identity.ts'
import { accountOf } from '../../../src/gateway/accounts/sign-in/sign-in.ts'
import { VirtualClock } from '../../support/clock.ts'
import { type Bench, startBench } from './bench.ts'
import { encode } from './forge.ts'

let bench: Bench
beforeEach(async () => {
  bench = await startBench()
})
afterEach(() => bench.close())

test('a token that shares its first 40 characters with an accepted one is judged by itself', async () => {
  const { identity, forge, oidc } = bench
  const accepted = forge()
  await identity.verify(accepted)
  const [header, , signature] = accepted.split('.')
  const claims = { iss: oidc.issuer, sub: 'victim', aud: oidc.audience, exp: bench.now() + 3600, iat: bench.now() }
  const forged = `${header}.${encode(JSON.stringify(claims))}.${signature}`
  const honest = forge({ claims: { sub: 'someone else' } })

  expect(forged.slice(0, 40)).toBe(accepted.slice(0, 40))
  expect(honest.slice(0, 40)).toBe(accepted.slice(0, 40))
  expect(await identity.verify(forged)).toHaveProperty('problem')
  expect(await identity.verify(honest)).toHaveProperty('account', accountOf(oidc.issuer, 'someone else'))
})

test.each(['A', 'AAAA', '.', '.AAAA', '=', ' ', '\n'])('an accepted token is refused with %j behind it', async tail => {
  const token = bench.forge()
  await bench.identity.verify(token)

  expect(await bench.identity.verify(token + tail)).toHaveProperty('problem')
})

test('an accepted token is refused once its tolerance is over', async () => {
  const { clock, identity, now } = bench
  const token = bench.forge({ claims: { exp: now() + 20 } })
  expect(await identity.verify(token)).toHaveProperty('account')

  clock.advance(49_999)
  expect(await identity.verify(token)).toHaveProperty('account')
  clock.advance(1)
  expect(await identity.verify(token)).toHaveProperty('problem')
})

test('a token accepted by a key that was withdrawn is refused once that is known', async () => {
  const { identity, oidc, clock } = bench
  const token = bench.forge()
  await identity.verify(token)
  await oidc.rotate()
  clock.advance(5000)

  await identity.verify(bench.forge())

  expect(await identity.verify(token)).toHaveProperty('problem')
})

const signIn = (expiresAt: number) => ({
  account: 'acct_1',
  issuer: 'https://id.example.com',
  subject: 'alice',
  issuedAt: 0,
  expiresAt,
})

test('a token is remembered for a minute, and not past its end', () => {
  const clock = new VirtualClock(1_000_000)
  const recent = new RecentTokens(clock)
  recent.add('long', signIn(9_000_000), recent.generation)
  recent.add('short', signIn(1_000_001), recent.generation)
  recent.add('over', signIn(1_000_000), recent.generation)
  const known = () => ['long', 'short', 'over'].filter(token => recent.find(token))

  expect(known()).toEqual(['long', 'short'])
  clock.advance(1)
  expect(known()).toEqual(['long'])
  clock.advance(59_999)
  expect(known()).toEqual([])
})

test('the oldest of more than 10,000 tokens is forgotten', () => {
  const recent = new RecentTokens(new VirtualClock(0))
  for (let n = 0; n <= 10_000; n++) recent.add(`token ${n}`, signIn(1_000_000), recent.generation)

  expect([0, 1, 10_000].map(n => recent.find(`token ${n}`) !== undefined)).toEqual([false, true, true])
})

test('a token whose verification began before the keys changed is not remembered', () => {
  const recent = new RecentTokens(new VirtualClock(0))
  const { generation } = recent
  recent.clear()

  recent.add('token', signIn(1_000_000), generation)

  expect(recent.find('token')).toBeUndefined()
})
