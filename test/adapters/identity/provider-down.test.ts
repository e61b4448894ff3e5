import { afterEach, beforeEach, expect, test } from 'vitest'
import { ProviderUnavailable } from '../../../src/gateway/accounts/sign-in/sign-in.ts'
import { type Bench, startBench } from './bench.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DOWN = 'the keys of the identity provider cannot be read'
const BACK = 'the keys of the identity provider can be read again'

let bench: Bench
beforeEach(async () => {
  bench = await startBench()
})
afterEach(() => bench.close())

/** The provider is stopped after its keys were read. */
async function stopped(): Promise<Bench> {
  expect(await bench.identity.verify(bench.forge())).toHaveProperty('account')
  await bench.oidc.stop()
  return bench
}

test.each([
  ['30 minutes', 30 * MINUTE],
  ['23 hours', 23 * HOUR],
  ['24 hours', 24 * HOUR],
])('known keys still verify when the provider was down for %s', async (_, time) => {
  const { clock, identity, forge } = await stopped()

  clock.advance(time)

  expect(await identity.verify(forge())).toHaveProperty('account')
  expect(await identity.verify(forge({ key: bench.key('ec'), header: { alg: 'ES256' } }))).toHaveProperty('account')
})

test.each([
  ['24 hours and a millisecond', 24 * HOUR + 1],
  ['25 hours', 25 * HOUR],
])('no key verifies any more when the provider was down for %s', async (_, time) => {
  const { clock, identity, forge } = await stopped()

  clock.advance(time)

  await expect(identity.verify(forge())).rejects.toThrow(ProviderUnavailable)
})

test('after 25 hours the first token is accepted within 5 s of the return of the provider', async () => {
  const { clock, identity, forge, oidc } = await stopped()
  clock.advance(25 * HOUR)
  await expect(identity.verify(forge())).rejects.toThrow(ProviderUnavailable)
  await oidc.start()

  clock.advance(5000)

  expect(await identity.verify(forge())).toHaveProperty('account')
})

test('an unknown kid is a bad token, not an outage, while known keys serve', async () => {
  const { clock, identity, forge } = await stopped()
  clock.advance(30 * MINUTE)

  expect(await identity.verify(forge({ header: { kid: 'other' } }))).toHaveProperty('problem')
})

test('a gateway started while the provider is down heals within 5 s of its return', async () => {
  const { clock, forge, oidc } = bench
  await oidc.stop()
  const { verify } = bench.open()
  await expect(verify(forge())).rejects.toThrow(ProviderUnavailable)
  await oidc.start()

  clock.advance(4999)
  await expect(verify(forge())).rejects.toThrow(ProviderUnavailable)
  clock.advance(1)
  expect(await verify(forge())).toHaveProperty('account')
})

test('a token whose form is bad is told so while no key is known', async () => {
  await bench.oidc.stop()
  const { verify } = bench.open()

  expect(await verify(bench.forge({ header: { alg: 'none' }, alg: 'RS256' }))).toHaveProperty('problem')
})

test('the operator hears once that the provider is down, with the cause, and once that it is back', async () => {
  const { clock, alarms, told, oidc } = await stopped()
  const { issuer } = oidc

  clock.advance(10 * MINUTE)
  await told(1)
  for (let n = 0; n < 3; n++) {
    clock.advance(5000)
    await bench.identity.verify(bench.forge({ header: { kid: 'other' } }))
  }
  await oidc.start()
  clock.advance(5000)
  await told(2)

  expect(alarms).toEqual([
    { message: DOWN, issuer, cause: expect.stringContaining('ECONNREFUSED') },
    { message: BACK, issuer },
  ])
})

test('an identity that was closed asks the provider nothing more', async () => {
  const { clock, identity, forge, reads } = bench
  await identity.verify(forge())
  identity.close()

  clock.advance(25 * HOUR)

  await expect(identity.verify(forge())).rejects.toThrow(ProviderUnavailable)
  expect([reads(), bench.alarms]).toEqual([1, []])
})
