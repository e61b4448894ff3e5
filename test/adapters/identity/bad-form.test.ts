import { describe } from 'vitest'
import { type BadRow, refuseEach } from './bad-tokens.ts'
import type { Bench } from './bench.ts'
import { encode, grownTo } from './forge.ts'

type Parts = [header: string, claims: string, signature: string]

/** A good token, changed as text. */
const text = (name: string, change: (token: string) => string): BadRow => [name, 'form', ({ forge }) => change(forge())]

const parts = (name: string, change: (parts: Parts) => readonly string[]): BadRow =>
  text(name, token => {
    const [header = '', claims = '', signature = ''] = token.split('.')
    return change([header, claims, signature]).join('.')
  })

const header = (
  name: string,
  fault: 'header' | 'algorithm' | 'form',
  wrong: (bench: Bench) => object | string,
): BadRow => [
  name,
  fault,
  bench => {
    const changed = wrong(bench)
    return bench.forge({ alg: 'RS256', header: typeof changed === 'string' ? changed : { ...changed } })
  },
]

/** A 256-byte signature leaves four bits of its last character unused. */
const strayBits = (signature: string): string => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  return signature.slice(0, -1) + alphabet.charAt(alphabet.indexOf(signature.slice(-1)) + 1)
}

describe('form', () => {
  refuseEach([
    text('the empty text', () => ''),
    text('a key', () => 'svc_7Hq2aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'),
    text('two dots alone', () => '..'),
    parts('one part', ([head]) => [head]),
    parts('a token without signature part', ([head, claims]) => [head, claims]),
    parts('a token of four parts', all => [...all, 'AAAA']),
    parts('a JWE', ([, claims, signature]) => [
      encode('{"alg":"RSA-OAEP","enc":"A256GCM"}'),
      claims,
      claims,
      claims,
      signature,
    ]),
    parts('an empty header', ([, ...rest]) => ['', ...rest]),
    parts('empty claims', ([head, , signature]) => [head, '', signature]),
    parts('an empty signature', ([head, claims]) => [head, claims, '']),
    parts('a padded header', ([head, ...rest]) => [`${head}=`, ...rest]),
    parts('padded claims', ([head, claims, signature]) => [head, `${claims}==`, signature]),
    parts('a padded signature', ([head, claims, signature]) => [head, claims, `${signature}==`]),
    parts('a signature in plain base64', ([head, claims, signature]) => [head, claims, `+/${signature.slice(2)}`]),
    parts('a signature with stray bits at its end', ([head, claims, signature]) => [
      head,
      claims,
      strayBits(signature),
    ]),
    text('a newline at the end', token => `${token}\n`),
    text('a space at the end', token => `${token} `),
    text('a space in front', token => ` ${token}`),
    text('a tab within', token => `${token.slice(0, -9)}\t${token.slice(-9)}`),
    text('a NUL at the end', token => `${token}\0`),
    text('a letter that looks like an a', token => `${token}а`),
    ['8 KB and one character', 'form', ({ forge }) => grownTo(8193, forge)],
    text('a megabyte', token => token + 'A'.repeat(1_000_000)),
    header('a header that is not JSON', 'form', () => '{"alg":"RS256"'),
    header('a header that is a list', 'form', () => '[{"alg":"RS256","typ":"at+jwt"}]'),
    header('a header that is a text', 'form', () => '"RS256"'),
    header('a header that is null', 'form', () => 'null'),
    parts('a header that is not UTF-8', ([, ...rest]) => [
      encode(Buffer.from('{"alg":"RS256","typ":"\xff"}', 'latin1')),
      ...rest,
    ]),
  ])
})

describe('keys and extensions in the header', () => {
  const jwk = ({ key }: Bench) => {
    const { kty, crv, x, y } = key('spare')
    return { kty, crv, x, y }
  }
  refuseEach([
    header('jku', 'header', () => ({ jku: 'https://evil.example.com/jwks' })),
    header('x5u', 'header', () => ({ x5u: 'https://evil.example.com/chain' })),
    header('x5c', 'header', () => ({ x5c: ['MIIC'] })),
    header('jwk', 'header', bench => ({ jwk: jwk(bench) })),
    header('jku that is null', 'header', () => ({ jku: null })),
    header('crit', 'header', () => ({ crit: ['exp'], exp: 1 })),
    header('crit that is empty', 'header', () => ({ crit: [] })),
    header('crit with b64', 'header', () => ({ crit: ['b64'], b64: false })),
    [
      'jwk with a signature of that key',
      'header',
      bench => bench.forge({ key: bench.key('spare'), header: { alg: 'ES256', jwk: jwk(bench), kid: undefined } }),
    ],
  ])
})

describe('algorithm', () => {
  const unsigned = (alg: unknown): BadRow => [
    `alg ${alg}`,
    'algorithm',
    ({ forge }) => forge({ alg: 'RS256', header: { alg } }),
  ]
  refuseEach([
    ...['none', 'None', 'NONE', 'nOnE', '', ' RS256', 'rs256', 'RS1', 'HS384', 'ES384', 'ES512', 'ES256K'].map(
      unsigned,
    ),
    ...['Ed25519', 'RSA-OAEP', 'dir', 'ML-DSA-44', 'constructor', null, undefined, 0, ['none']].map(unsigned),
    ...['RS384', 'RS512', 'PS384', 'PS512'].map(
      (alg): BadRow => [`a true ${alg} signature`, 'algorithm', ({ forge }) => forge({ header: { alg } })],
    ),
  ])
})
