import { describe, expect, it, onTestFinished } from 'vitest'
import { type Answer, Door, redirects, says, saysJson } from '../../support/door.ts'
import { startOidc } from '../../support/identity/oidc.ts'
import { type Found, filesOf, found } from './site.ts'

const URL_OF_CONSOLE = 'http://localhost:8080/console'

/** A provider's answers to a request for a code and for a token. */
interface Provider {
  readonly methods?: unknown
  readonly authorize?: Answer
  readonly token?: Answer
}

const toLogin = redirects(302, `${URL_OF_CONSOLE}/callback?error=login_required&state=doctor`)
const noGrant =
  (headers: Record<string, string>, error = 'invalid_grant'): Answer =>
  (_, response) =>
    response.writeHead(400, { 'content-type': 'application/json', ...headers }).end(JSON.stringify({ error }))
const ORIGIN = { 'access-control-allow-origin': 'http://localhost:8080' }

/** doctor's findings on the console in front of a provider with these answers. */
async function foundOf(
  { methods = ['S256'], authorize = toLogin, token = noGrant(ORIGIN) }: Provider,
  more = '',
  publicUrl = 'http://localhost:8080',
): Promise<readonly Found[]> {
  const oidc = await startOidc({ audience: 'http://localhost' })
  onTestFinished(() => oidc.stop())
  const door: Door = new Door((...exchange) => {
    const [{ path }] = exchange
    if (path.startsWith('/authorize')) return authorize(...exchange)
    if (path === '/token') return token(...exchange)
    return saysJson({
      ...{ issuer: door.origin, jwks_uri: `${oidc.issuer}/jwks`, code_challenge_methods_supported: methods },
      ...{ authorization_endpoint: `${door.origin}/authorize`, token_endpoint: `${door.origin}/token` },
    })(...exchange)
  })
  await door.open()
  onTestFinished(() => door.close())
  const yaml = filesOf(['http://127.0.0.1:1/v1'])['config.yaml'].replace(
    /public_url: [^ ,]+/,
    `public_url: ${publicUrl}`,
  )
  const identity = `identity: { issuer: "${door.origin}", default_plan: pro${more} }\n`
  return (await found({ 'config.yaml': yaml + identity })).filter(({ check }) => check === 'console')
}

const CLIENT = ', console_client_id: svc-console'

describe('the sign-in to the console', () => {
  it('is not looked at where none is set up', async () => {
    expect(await foundOf({})).toEqual([])
  })

  it('is fine where the provider takes its client, address and origin', async () => {
    expect(await foundOf({}, CLIENT)).toMatchObject([{ state: 'ok', subject: URL_OF_CONSOLE }])
  })

  it.each<[string, Provider, string, RegExp, RegExp]>([
    ['without S256', { methods: ['plain'] }, 'problem', /does not support PKCE with S256/, /Enable it/],
    ['that does not name its methods', { methods: null }, 'warning', /does not announce whether/, /Try a sign-in/],
    [
      'that refuses the redirect URI',
      { authorize: says(400, 'text/html', 'redirect_uri did not match') },
      'problem',
      /refuses the client svc-console with http:\/\/localhost:8080\/console\/callback: 400/,
      /public client with the code flow/,
    ],
    [
      'whose token endpoint names no origin',
      { token: noGrant({}) },
      'problem',
      /rejects pages from http:\/\/localhost:8080$/,
      /Allow the origin http:\/\/localhost:8080/,
    ],
    [
      'that does not know the client',
      { token: noGrant(ORIGIN, 'invalid_client') },
      'problem',
      /does not know a public client svc-console/,
      /without a secret/,
    ],
  ])('with a provider %s is told of, with what to do', async (_, provider, state, text, hint) => {
    expect(await foundOf(provider, CLIENT)).toMatchObject([
      {
        state,
        text: expect.stringMatching(text),
        hint: expect.stringMatching(hint),
      },
    ])
  })

  it('is looked at for operators too, where some are people of the provider', async () => {
    const url = 'http://127.0.0.1:9090/console'
    const more = `${CLIENT}, admins: [acct_${'0'.repeat(40)}]`
    const found = await foundOf({}, more, 'http://localhost:8080, admin_url: http://127.0.0.1:9090')

    expect(found.map(({ subject }) => subject)).toEqual([URL_OF_CONSOLE, url])
    expect(found[1]?.text).toMatch(/refuses|rejects pages from http:\/\/127\.0\.0\.1:9090/)
  })

  it('without TLS is a problem, since browsers give such a page no cryptography', async () => {
    expect(await foundOf({}, CLIENT, 'http://llm.example.com')).toMatchObject([
      {
        state: 'problem',
        text: 'people cannot sign in to a console without TLS',
      },
    ])
  })

  it('that is public, with a provider on a private network, is a warning', async () => {
    const url = 'https://93.184.215.14'
    const provider = {
      authorize: redirects(302, `${url}/console/callback?error=login_required`),
      token: noGrant({ 'access-control-allow-origin': url }),
    }

    expect(await foundOf(provider, CLIENT, url)).toMatchObject([
      {
        state: 'warning',
        text: expect.stringMatching(/private network/),
      },
    ])
  })
})
