import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { ProviderUnavailable } from '../../../src/gateway/accounts/sign-in/sign-in.ts'
import { newKey, type PrivateKey } from '../../support/identity/oidc-keys.ts'
import { DISCOVERY, type Script, startScripted } from './scripted-provider.ts'

const MESSAGE = 'the keys of the identity provider cannot be read'
const key = await newKey('ES256')
const token = { header: { alg: 'ES256' } }

let close = async () => {}
afterEach(() => close())

async function start(script: () => Script, options?: Parameters<typeof startScripted>[1]) {
  const scripted = await startScripted(script, options)
  close = scripted.close
  return scripted
}

const keys = { keys: [key] }
const discovery = (wrong: object): Script => ({ jwks: keys, discovery: () => wrong })
const answering = (path: string, answer: NonNullable<Script['answers']>[string]): Script => ({
  jwks: keys,
  answers: { [path]: answer },
})

const wrong: readonly (readonly [name: string, cause: RegExp, script: Script])[] = [
  ['whose discovery is of another issuer', /another issuer: "https:\/\/other/, discovery({ issuer: 'https://other' })],
  [
    'whose discovery has its issuer with a slash',
    /another issuer/,
    { jwks: keys, discovery: iss => ({ issuer: `${iss}/` }) },
  ],
  ['whose discovery names no issuer', /another issuer: none/, discovery({ issuer: undefined })],
  [
    'whose keys are over http elsewhere',
    /jwks_uri must be an https/,
    discovery({ jwks_uri: 'http://keys.example.com/' }),
  ],
  ['whose keys are in a file', /jwks_uri must be an https/, discovery({ jwks_uri: 'file:///etc/passwd' })],
  ['whose jwks_uri is relative', /jwks_uri must be an https/, discovery({ jwks_uri: '/jwks' })],
  ['without jwks_uri', /jwks_uri must be an https/, discovery({ jwks_uri: undefined })],
  [
    'that redirects discovery',
    /answered 302/,
    answering(DISCOVERY, response => response.writeHead(302, { location: '/other' }).end()),
  ],
  [
    'that redirects to its keys',
    /answered 307/,
    answering('/jwks', response => response.writeHead(307, { location: '/other' }).end()),
  ],
  ['that answers 500', /answered 500/, answering('/jwks', response => response.writeHead(500).end('{"keys":[]}'))],
  ['that answers with a page', /is not JSON/, answering('/jwks', response => response.end('<html>'))],
  ['whose key set has no end', /larger than 524288 bytes/, answering('/jwks', response => flood(response))],
  ['that hangs up', /other side closed|ECONNRESET|socket/, answering('/jwks', response => response.destroy())],
  ['whose key set is empty', /holds no usable key/, { jwks: { keys: [] } }],
  ['whose key set is no set', /holds no usable key/, { jwks: [key] }],
  ['whose only key is a secret', /holds no usable key/, { jwks: { keys: [{ kty: 'oct', k: 'c2VjcmV0', kid: '1' }] } }],
  ['whose only key encrypts', /holds no usable key/, { jwks: { keys: [{ ...key, use: 'enc' }] } }],
  ['whose only key may not verify', /holds no usable key/, { jwks: { keys: [{ ...key, key_ops: ['sign'] }] } }],
  ['whose only key is off its curve', /holds no usable key/, { jwks: { keys: [{ ...key, x: key.y }] } }],
]

function flood(response: Parameters<NonNullable<Script['answers']>[string]>[0]): void {
  const write = () => {
    while (!response.destroyed && response.write(' '.repeat(65_536)));
  }
  response.on('drain', write)
  write()
}

test.each(wrong)('a provider %s is refused, and the operator told', async (_, cause, script) => {
  const { issuer, identity, alarms, forge } = await start(() => script)

  await expect(identity.verify(forge(key, token))).rejects.toThrow(ProviderUnavailable)
  expect(alarms).toEqual([{ message: MESSAGE, issuer, cause: expect.stringMatching(cause) }])
})

test('an issuer over http off this machine is refused without being asked', async () => {
  const { identity, alarms, told } = await start(() => ({}), { issuer: 'http://id.example.com' })

  await told(1)

  expect(alarms).toEqual([
    { message: MESSAGE, issuer: 'http://id.example.com', cause: expect.stringContaining('https') },
  ])
  identity.close()
})

test('a provider that does not answer is given up after 5 s', async () => {
  // The reading waits by the clock of this machine.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  let heard = () => {}
  const asked = new Promise<void>(resolve => {
    heard = resolve
  })
  const { alarms, told } = await start(() => answering('/jwks', () => heard()))
  await asked

  for (let ms = 0; ms < 5000; ms += 625) {
    expect(alarms).toEqual([])
    await vi.advanceTimersByTimeAsync(625)
    await new Promise(setImmediate)
  }
  await told(1)

  expect(alarms).toEqual([expect.objectContaining({ cause: 'no answer within 5 s' })])
})

/** jose makes no key this small. */
function weakKey(): PrivateKey {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 })
  const { n = '', e = '', d = '', p = '', q = '', dp = '', dq = '', qi = '' } = privateKey.export({ format: 'jwk' })
  return { kty: 'RSA', kid: 'weak', n, e, d, p, q, dp, dq, qi }
}

test('an identity that is closed while it reads cuts the read, tells no one and reads no more', async () => {
  let requests = 0
  let heard: (response: ServerResponse) => void = () => {}
  const asked = new Promise<ServerResponse>(resolve => {
    heard = resolve
  })
  const script = answering('/jwks', response => {
    requests++
    heard(response)
  })
  const { identity, clock, alarms, forge } = await start(() => script)
  const cut = once(await asked, 'close')

  identity.close()
  await cut
  await expect(identity.verify(forge(key, token))).rejects.toThrow(ProviderUnavailable)
  clock.advance(600_000)
  await expect(identity.verify(forge(key, token))).rejects.toThrow(ProviderUnavailable)

  expect([requests, alarms]).toEqual([1, []])
})

describe('keys of a set', () => {
  test('one that is weak verifies nothing, and the others serve', async () => {
    const weak = weakKey()
    const { identity, forge } = await start(() => ({ jwks: { keys: [weak, { kty: 'new' }, null, key] } }))

    expect(await identity.verify(forge(weak))).toHaveProperty('problem')
    expect(await identity.verify(forge(key, token))).toHaveProperty('account')
  })

  test('ones read before serve while a read hangs, and while another set is refused', async () => {
    let script: Script = { jwks: keys }
    const { identity, forge, clock, told } = await start(() => script)
    await identity.verify(forge(key, token))

    const read = await new Promise<ServerResponse>(resolve => {
      script = answering('/jwks', resolve)
      clock.advance(600_000)
    })
    expect(await identity.verify(forge(key, token))).toHaveProperty('account')
    read.end('{"keys":[]}')
    await told(1)
    expect(await identity.verify(forge(key, token))).toHaveProperty('account')
  })

  test('the same ones in another order are not told as a change', async () => {
    const other = await newKey('EdDSA')
    let script: Script = { jwks: { keys: [key, other] } }
    const { identity, forge, clock, alarms } = await start(() => script)
    await identity.verify(forge(key, token))

    script = { jwks: { keys: [other, key] } }
    clock.advance(5000)
    await identity.verify(forge(key, { header: { alg: 'ES256', kid: 'other' } }))

    expect(alarms).toEqual([])
  })
})
