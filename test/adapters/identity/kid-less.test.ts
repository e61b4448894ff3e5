import { afterEach, beforeEach, expect, test } from 'vitest'
import { newKey, type PrivateKey } from '../../support/identity/oidc-keys.ts'
import { startScripted } from './scripted-provider.ts'

// A provider whose keys and tokens have no kid.
let provider: Awaited<ReturnType<typeof startScripted>>
let keys: PrivateKey[]
let reads: number

beforeEach(async () => {
  reads = 0
  keys = await Promise.all([newKey('ES256'), newKey('ES256')])
  provider = await startScripted(() => ({ jwks: { keys: keys.map(({ kty, crv, x, y }) => ({ kty, crv, x, y })) } }))
})
afterEach(() => provider.close())

const header = { alg: 'ES256', kid: undefined }
const verify = (key: PrivateKey | undefined, claims = {}) => {
  if (!key) throw new Error('no key')
  return provider.identity.verify(provider.forge(key, { header, claims }))
}

test('a token of any of several keys is accepted', async () => {
  expect(await verify(keys[0])).toHaveProperty('account')
  expect(await verify(keys[1])).toHaveProperty('account')
})

test('what is wrong with a token of the second key is told as of any', async () => {
  expect(await verify(keys[1], { exp: 1 })).toMatchObject({ problem: expect.stringContaining('too old') })
})

test.each([1, 2])('a token of rotated keys is accepted 5 s after the last read, where there are %i', async count => {
  keys = keys.slice(0, count)
  await verify(keys[0])
  const next = await Promise.all(keys.map(() => newKey('ES256')))
  keys = next

  provider.clock.advance(4999)
  expect(await verify(next[0])).toHaveProperty('problem')
  provider.clock.advance(1)
  expect(await verify(next[0])).toHaveProperty('account')
})

test('bad signatures in a burst cause one read, and none within the next 5 s', async () => {
  await verify(keys[0])
  const foreign = await newKey('ES256')
  const burst = () => Promise.all(Array.from({ length: 20 }, () => verify(foreign)))
  reads = provider.reads()
  provider.clock.advance(5000)

  await burst()
  expect(provider.reads() - reads).toBe(1)
  provider.clock.advance(4999)
  expect((await burst()).every(judged => 'problem' in judged)).toBe(true)
  expect(provider.reads() - reads).toBe(1)
})
