import { describe } from 'vitest'
import { type BadRow, refuseEach } from './bad-tokens.ts'
import { AUDIENCE } from './bench.ts'

const typ = (name: string, value: unknown): BadRow => [name, 'type', ({ forge }) => forge({ header: { typ: value } })]

describe('where only at+jwt is allowed', () => {
  refuseEach([
    ['an ID token of the provider', 'type', async ({ oidc }) => (await oidc.signIn('alice')).idToken],
    typ('a token without a type', undefined),
    typ('a token of type JWT', 'JWT'),
    typ('a token of type application/jwt', 'application/jwt'),
    typ('a logout token', 'logout+jwt'),
    typ('a token of a longer type', 'at+jwts'),
    typ('a token of another media type', 'text/at+jwt'),
    typ('a token of a type with a parameter', 'at+jwt;v=1'),
    typ('a token of an empty type', ''),
    typ('a token whose type is a list', ['at+jwt']),
    [
      'a token with a second type',
      'type',
      ({ forge, key }) => forge({ header: `{"alg":"RS256","kid":"${key('rsa').kid}","typ":"at+jwt","typ":"JWT"}` }),
    ],
  ])
})

const jwt = (name: string, claims: Readonly<Record<string, unknown>>): BadRow => [
  `a JWT with ${name}`,
  'type',
  ({ forge }) => forge({ header: { typ: 'JWT' }, claims: { scope: 'openid', ...claims } }),
]

describe('where JWT is allowed as well', () => {
  refuseEach(
    [
      ['an ID token of the provider', 'type', async ({ oidc }) => (await oidc.signIn('alice')).idToken],
      typ('a logout token', 'logout+jwt'),
      jwt('a nonce', { nonce: 'canary' }),
      jwt('an at_hash', { at_hash: 'canary' }),
      jwt('a c_hash', { c_hash: 'canary' }),
      jwt('an s_hash', { s_hash: 'canary' }),
      jwt('an empty nonce', { nonce: null }),
      jwt('no scope', { scope: undefined, auth_time: 1 }),
      jwt('events, as logout tokens have', { events: { 'http://schemas.openid.net/event/backchannel-logout': {} } }),
      jwt('the client itself as audience, by client_id', { client_id: AUDIENCE }),
      jwt('the client itself as audience, by azp', { azp: AUDIENCE }),
      jwt('the client itself among its audiences', { aud: [AUDIENCE, 'canary'], azp: AUDIENCE }),
      jwt('the typ claim of an ID token of Keycloak', { typ: 'ID' }),
      jwt('the token_use of an ID token of Cognito', { token_use: 'id' }),
    ],
    { tokenTypes: ['at+jwt', 'JWT'] },
  )
})

describe('where JWT is allowed and the audience is the client', () => {
  refuseEach(
    [
      [
        'the claims of a real ID token as a JWT',
        'type',
        async ({ oidc, forge }) => {
          const { idToken } = await oidc.signIn('alice')
          const claims = Buffer.from(idToken.split('.')[1] ?? '', 'base64url').toString()
          return forge({ header: { typ: 'JWT' }, claims })
        },
      ],
    ],
    { tokenTypes: ['JWT'], audience: 'svcctl' },
  )
})
