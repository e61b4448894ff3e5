import { generateKeyPairSync, randomBytes } from 'node:crypto'
import type { Context } from 'oidc-provider'
import { codePage, confirmPage, donePage, problemPage, signedOutPage, signOutPage } from './pages.ts'
import { USERS } from './users.ts'

/** The public client id of `svcctl login`. */
const CLIENT_ID = 'svcctl'
/** The public client id of the gateway's web console. */
const CONSOLE_CLIENT_ID = 'svc-console'
const SCOPE = 'openid offline_access'
const HOUR = 3600

/**
 * The settings of oidc-provider: device flow for one public client and authorization code for another, JWT access
 * tokens for one audience, no consent page. `consoles` are the URLs of the gateway's web consoles.
 */
export function configurationFor(audience: string, consoles: readonly string[]): Record<string, unknown> {
  return {
    clients: [
      {
        client_id: CLIENT_ID,
        token_endpoint_auth_method: 'none',
        grant_types: ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
        response_types: [],
        redirect_uris: [],
        id_token_signed_response_alg: 'ES256',
      },
      {
        client_id: CONSOLE_CLIENT_ID,
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        redirect_uris: consoles.map(url => `${url}/callback`),
        post_logout_redirect_uris: consoles,
        id_token_signed_response_alg: 'ES256',
      },
    ],
    pkce: { required: () => true },
    // The console redeems its codes in the browser, which needs CORS; svcctl does not.
    clientBasedCORS: (_: Context, origin: string, client: { clientId: string }) =>
      client.clientId === CONSOLE_CLIENT_ID && consoles.some(url => new URL(url).origin === origin),
    jwks: { keys: [signingKey()] },
    cookies: { keys: [randomBytes(24).toString('base64url')] },
    interactions: { url: (_: Context, { uid }: { uid: string }) => `/interaction/${uid}` },
    findAccount: (_: Context, sub: string) => USERS[sub] && { accountId: sub, claims: () => ({ sub }) },
    extraTokenClaims: (_: Context, token: { accountId?: string }) => USERS[token.accountId ?? ''],
    loadExistingGrant: ({ oidc }: Context) => consent(oidc, audience),
    renderError: (ctx: Context, { error, error_description }: Refusal) => {
      ctx.body = problemPage(error_description ?? error)
    },
    ttl: {
      AccessToken: HOUR,
      IdToken: HOUR,
      DeviceCode: HOUR / 6,
      Interaction: HOUR / 6,
      Session: HOUR,
      Grant: 24 * HOUR,
      RefreshToken: 24 * HOUR,
    },
    features: {
      devInteractions: { enabled: false },
      revocation: { enabled: true },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: (ctx: Context, form: string) => {
          ctx.body = signOutPage(form)
        },
        postLogoutSuccessSource: (ctx: Context) => {
          ctx.body = signedOutPage()
        },
      },
      deviceFlow: {
        enabled: true,
        userCodeInputSource: (ctx: Context, form: string, _: unknown, error: Error | undefined) => {
          ctx.body = codePage(form, error && problemOf(error))
        },
        userCodeConfirmSource: (ctx: Context, form: string, client: { clientId: string }, _: unknown, code: string) => {
          ctx.body = confirmPage(form, client.clientId, code)
        },
        successSource: (ctx: Context) => {
          ctx.body = donePage()
        },
      },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => audience,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: '',
          audience,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'ES256' } },
        }),
      },
    },
  }
}

interface Refusal {
  readonly error: string
  readonly error_description?: string
}

/** EC rather than RSA: generating an RSA key would take a good part of the demo's start. */
function signingKey(): object {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return { ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'ES256', kid: randomBytes(8).toString('hex') }
}

const problemOf = ({ name }: Error): string =>
  name === 'AbortedError' ? 'The sign-in was refused.' : 'That code is wrong, used or too old.'

async function consent({ provider, client, session }: Context['oidc'], audience: string): Promise<object> {
  const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId })
  grant.addOIDCScope(SCOPE)
  grant.addResourceScope(audience, '')
  await grant.save()
  return grant
}
