import type { Context } from 'oidc-provider'
import type { PrivateKey } from './oidc-keys.ts'

export interface ProviderOptions {
  readonly audience: string
  readonly users: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly keys: readonly PrivateKey[]
  readonly clientId: string
  /** The algorithm of the next access token. */
  alg(): string
}

const SCOPE = 'openid offline_access'

/** The settings of oidc-provider: one public client with the device flow, JWT access tokens for one audience, no consent page. */
export function configurationOf(options: ProviderOptions): Record<string, unknown> {
  const { audience, users, keys, clientId, alg } = options
  const client = {
    client_id: clientId,
    token_endpoint_auth_method: 'none',
    grant_types: ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
    response_types: [],
    redirect_uris: [],
  }
  return {
    clients: [client],
    jwks: { keys },
    cookies: { keys: ['test'] },
    interactions: { url: (_: Context, { uid }: { uid: string }) => `/interaction/${uid}` },
    findAccount: (_: Context, sub: string) => ({ accountId: sub, claims: () => ({ sub }) }),
    extraTokenClaims: (_: Context, token: { accountId?: string }) => users[token.accountId ?? ''],
    loadExistingGrant: ({ oidc }: Context) => consent(oidc, audience),
    ttl: {
      AccessToken: 3600,
      IdToken: 3600,
      DeviceCode: 600,
      Interaction: 600,
      Session: 3600,
      Grant: 3600,
      RefreshToken: 3600,
    },
    features: {
      devInteractions: { enabled: false },
      deviceFlow: { enabled: true, ...pages },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => audience,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: '',
          audience,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: alg() } },
        }),
      },
    },
  }
}

/** Plain pages, since the default ones ask to be replaced. */
const pages = {
  userCodeInputSource: show,
  userCodeConfirmSource: show,
  successSource: (ctx: Context) => show(ctx, 'signed in'),
}

function show(ctx: Context, page: string): void {
  ctx.body = page
}

async function consent({ provider, client, session }: Context['oidc'], audience: string) {
  const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId })
  grant.addOIDCScope(SCOPE)
  grant.addResourceScope(audience, '')
  await grant.save()
  return grant
}
