import { describe } from 'vitest'
import { type BadRow, refuseEach } from './bad-tokens.ts'
import { AUDIENCE, type Bench } from './bench.ts'

const TOLERANCE_S = 30
const DAY_S = 86_400

const claims =
  (make: (bench: Bench) => Readonly<Record<string, unknown>>) =>
  (bench: Bench): string =>
    bench.forge({ claims: make(bench) })

const audience = (name: string, aud: unknown): BadRow => [`a token for ${name}`, 'audience', claims(() => ({ aud }))]

const issuer = (name: string, change: (issuer: string) => unknown): BadRow => [
  `a token of ${name}`,
  'issuer',
  claims(({ oidc }) => ({ iss: change(oidc.issuer) })),
]

const outOfForm = (name: string, wrong: Readonly<Record<string, unknown>>): BadRow => [
  `a token with ${name}`,
  'claims',
  claims(() => wrong),
]

/** Signed as they are: members twice, or numbers that JSON.stringify would not write. */
const raw =
  (change: (json: string) => string) =>
  (bench: Bench): string => {
    const payload = bench.forge().split('.')[1] ?? ''
    return bench.forge({ claims: change(Buffer.from(payload, 'base64url').toString()) })
  }

describe('audience', () => {
  refuseEach([
    audience('the audience with a slash at its end', `${AUDIENCE}/`),
    audience('a prefix of the audience', AUDIENCE.slice(0, -1)),
    audience('a longer path', `${AUDIENCE}/v1`),
    audience('the audience in capitals', AUDIENCE.toUpperCase()),
    audience('the audience over http', AUDIENCE.replace('https', 'http')),
    audience('the audience with a space behind', `${AUDIENCE} `),
    audience('a host that ends like ours', AUDIENCE.replace('gateway', 'evil-gateway')),
    audience('ours and another in one text', `${AUDIENCE},https://other.example.com`),
    audience('a list without us', ['https://other.example.com', `${AUDIENCE}/`]),
    audience('an empty list', []),
    audience('a list in a list', [[AUDIENCE]]),
    audience('an object with us as a member', { [AUDIENCE]: true }),
    audience('null', null),
    audience('the empty text', ''),
  ])
})

describe('issuer', () => {
  refuseEach([
    issuer('the issuer with a slash at its end', iss => `${iss}/`),
    issuer('the issuer over https', iss => iss.replace('http', 'https')),
    issuer('the issuer in capitals', iss => iss.toUpperCase()),
    issuer('the issuer with userinfo', iss => iss.replace('//', '//user@')),
    issuer('another host behind our name as userinfo', iss => `${iss}@evil.example.com`),
    issuer('another port', iss => iss.replace(/\d$/, digit => String((Number(digit) + 1) % 10))),
    issuer('the issuer without its port', iss => iss.replace(/:\d+$/, '')),
    issuer('another name of its host', iss => iss.replace('127.0.0.1', 'localhost')),
    issuer('a path below the issuer', iss => `${iss}/tenant`),
    issuer('a list with the issuer', iss => [iss]),
    issuer('nobody', () => null),
  ])
})

describe('time', () => {
  refuseEach([
    ['a token 30 s after its end', 'expired', claims(({ now }) => ({ exp: now() - TOLERANCE_S }))],
    ['a token long after its end', 'expired', claims(({ now }) => ({ exp: now() - DAY_S }))],
    ['a token that ended before 1970', 'expired', claims(() => ({ exp: -1 }))],
    ['a token issued over a day ago', 'expired', claims(({ now }) => ({ iat: now() - DAY_S - TOLERANCE_S - 1 }))],
    ['a token issued 31 s from now', 'early', claims(({ now }) => ({ iat: now() + TOLERANCE_S + 1 }))],
    ['a token that begins 31 s from now', 'early', claims(({ now }) => ({ nbf: now() + TOLERANCE_S + 1 }))],
    ['a token issued in milliseconds', 'early', claims(({ now }) => ({ iat: now() * 1000 }))],
    ['a token without end', 'claims', raw(json => json.replace(/"exp":\d+/, '"exp":1e400'))],
    ['a token that ends after the last date', 'claims', raw(json => json.replace(/"exp":\d+/, '"exp":8.65e12'))],
    outOfForm('a text as exp', { exp: '9999999999' }),
    outOfForm('null as exp', { exp: null }),
    outOfForm('a list as exp', { exp: [9_999_999_999] }),
    outOfForm('a text as iat', { iat: '1' }),
    outOfForm('a text as nbf', { nbf: '1' }),
  ])
})

describe('required claims', () => {
  refuseEach([
    ...['iss', 'sub', 'aud', 'exp', 'iat'].map(name => outOfForm(`no ${name}`, { [name]: undefined })),
    outOfForm('an empty sub', { sub: '' }),
    outOfForm('a number as sub', { sub: 7 }),
    outOfForm('null as sub', { sub: null }),
    outOfForm('a list as sub', { sub: ['alice'] }),
    outOfForm('a sub of 256 characters', { sub: 's'.repeat(256) }),
    ['a second sub that is empty', 'claims', raw(json => json.replace(/}$/, ',"sub":""}'))],
    ['a sub by way of __proto__', 'claims', raw(json => json.replace(/"sub":"([^"]*)"/, '"__proto__":{"sub":"$1"}'))],
    ['a second aud that is not ours', 'audience', raw(json => json.replace(/}$/, ',"aud":"https://b.example"}'))],
    ['a list of claims', 'form', raw(json => `[${json}]`)],
    ['claims that are not JSON', 'form', raw(json => json.slice(0, -1))],
    ['two documents of claims', 'form', raw(json => json + json)],
  ])
})
