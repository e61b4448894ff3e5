import { createPublicKey } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { startOidc } from '../../support/identity/oidc.ts'
import { newKey } from '../../support/identity/oidc-keys.ts'
import { type BadRow, refuseEach } from './bad-tokens.ts'
import { AUDIENCE, type Bench, startBench } from './bench.ts'
import { encode } from './forge.ts'

/** The order of P-256. */
const ORDER = Buffer.from('ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551', 'hex')

/** A good token of an algorithm, with other bytes as signature. */
const signature =
  (alg: 'RS256' | 'ES256' | 'EdDSA', change: (bytes: Buffer) => Uint8Array) =>
  ({ forge, key }: Bench): string => {
    const purpose = { RS256: 'rsa', ES256: 'ec', EdDSA: 'ed' } as const
    const [header, claims, signed = ''] = forge({ header: { alg }, key: key(purpose[alg]) }).split('.')
    return `${header}.${claims}.${encode(change(Buffer.from(signed, 'base64url')))}`
  }

const kid = (name: string, value: unknown): BadRow => [name, 'key', ({ forge }) => forge({ header: { kid: value } })]

const pem = ({ key }: Bench) =>
  String(createPublicKey({ key: { ...key('rsa') }, format: 'jwk' }).export({ type: 'spki', format: 'pem' }))

describe('keys', () => {
  refuseEach([
    kid('a foreign kid', 'canary-kid'),
    kid('an empty kid', ''),
    kid('a path as kid', '../../../dev/null'),
    kid('__proto__ as kid', '__proto__'),
    [
      'no kid, of a key that is none of several',
      'key',
      async ({ forge }) => forge({ key: await newKey('ES256'), header: { alg: 'ES256', kid: undefined } }),
    ],
    [
      'the kid of another key',
      'key',
      ({ forge, key }) => forge({ key: key('ec'), header: { alg: 'ES256', kid: key('spare').kid } }),
    ],
    [
      'a kid of ours over a foreign key',
      'key',
      async ({ forge, key }) => forge({ key: await newKey('RS256'), header: { kid: key('rsa').kid } }),
    ],
    [
      'the kid of an RSA key with ES256',
      'key',
      ({ forge, key }) => forge({ key: key('ec'), header: { alg: 'ES256', kid: key('rsa').kid } }),
    ],
    [
      'a token another issuer signed in the name of ours',
      'key',
      async bench => {
        const other = await startOidc({ audience: AUDIENCE })
        await other.stop()
        const [key] = other.keys
        return key ? bench.forge({ key }) : ''
      },
    ],
    [
      'HS256 with the public key as secret',
      'algorithm',
      bench => bench.forge({ header: { alg: 'HS256' }, key: pem(bench) }),
    ],
    [
      'HS256 with the modulus as secret',
      'algorithm',
      bench => bench.forge({ header: { alg: 'HS256' }, key: String(bench.key('rsa').n) }),
    ],
    ['HS256 with an empty secret', 'algorithm', ({ forge }) => forge({ header: { alg: 'HS256' }, key: '' })],
    ['RS256 with an HMAC of the public key', 'key', bench => bench.forge({ key: pem(bench) })],
    ['a PS256 signature called RS256', 'key', ({ forge }) => forge({ header: { alg: 'RS256' }, alg: 'PS256' })],
    ['an RS256 signature called PS256', 'key', ({ forge }) => forge({ header: { alg: 'PS256' }, alg: 'RS256' })],
  ])
})

describe('signatures', () => {
  refuseEach([
    ['a truncated signature', 'key', signature('RS256', bytes => bytes.subarray(0, -1))],
    ['a signature with a byte more', 'key', signature('RS256', bytes => Buffer.concat([bytes, Buffer.alloc(1)]))],
    ['one byte as signature', 'key', signature('RS256', () => Buffer.alloc(1))],
    ['an RSA signature of zeros', 'key', signature('RS256', bytes => Buffer.alloc(bytes.length))],
    [
      'an RSA signature of one',
      'key',
      signature('RS256', bytes => Buffer.alloc(bytes.length).fill(1, bytes.length - 1)),
    ],
    ['an ECDSA signature of zeros', 'key', signature('ES256', () => Buffer.alloc(64))],
    ['an ECDSA signature of the order', 'key', signature('ES256', () => Buffer.concat([ORDER, ORDER]))],
    ['an ECDSA signature with r alone', 'key', signature('ES256', bytes => bytes.fill(0, 32))],
    [
      'an ECDSA signature with a byte more',
      'key',
      signature('ES256', bytes => Buffer.concat([bytes, Buffer.alloc(1)])),
    ],
    [
      'an ECDSA signature in DER',
      'key',
      signature('ES256', bytes =>
        Buffer.concat([
          Buffer.from('30440220', 'hex'),
          bytes.subarray(0, 32),
          Buffer.from('0220', 'hex'),
          bytes.subarray(32),
        ]),
      ),
    ],
    ['an EdDSA signature of zeros', 'key', signature('EdDSA', () => Buffer.alloc(64))],
    [
      'the signature of another token',
      'key',
      ({ forge }) => [...forge().split('.').slice(0, 2), forge().split('.')[2]].join('.'),
    ],
  ])
})

test('an accepted token is refused with any one of its characters changed', async () => {
  const bench = await startBench()
  const token = bench.forge()
  expect(await bench.identity.verify(token)).toHaveProperty('account')

  const accepted: number[] = []
  for (const [place, character] of [...token].entries()) {
    const changed = token.slice(0, place) + (character === 'A' ? 'B' : 'A') + token.slice(place + 1)
    if (!('problem' in (await bench.identity.verify(changed)))) accepted.push(place)
  }

  expect(accepted).toEqual([])
  await bench.close()
})
