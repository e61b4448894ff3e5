import {
  type AuthorizationServer,
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  type Client,
  calculatePKCECodeChallenge,
  discoveryRequest,
  generateRandomCodeVerifier,
  generateRandomNonce,
  generateRandomState,
  None,
  processAuthorizationCodeResponse,
  processDiscoveryResponse,
  processRefreshTokenResponse,
  refreshTokenGrantRequest,
  revocationRequest,
  type TokenEndpointResponse,
  validateAuthResponse,
} from 'oauth4webapi'
import { boot, consoleUrl } from '../boot.ts'

/** A sign-in that was begun: what its end is checked by. */
export interface Begun {
  readonly url: string
  readonly verifier: string
  readonly state: string
  readonly nonce: string
}

export interface Tokens {
  readonly access: string
  readonly refresh: string | undefined
  readonly id: string | undefined
  /** This machine's clock. */
  readonly expiresAt: number
}

/** Begins a sign-in by authorization code and PKCE. `mark` begins its state; `silent` asks nobody anything. */
export async function begin(mark: string, silent: boolean): Promise<Begun> {
  const server = await discovered()
  const verifier = generateRandomCodeVerifier()
  const state = `${mark}${generateRandomState()}`
  const nonce = generateRandomNonce()
  if (server.authorization_endpoint === undefined) throw new Error('the provider has no endpoint for sign-ins')
  const url = new URL(server.authorization_endpoint)
  const parameters = {
    client_id: client.client_id,
    redirect_uri: REDIRECT,
    response_type: 'code',
    scope: 'openid',
    resource: boot.resource ?? '',
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    nonce,
    ...(silent && { prompt: 'none' }),
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return { url: url.href, verifier, state, nonce }
}

/** Redeems what the provider answered. Rejects where it is not the answer to `begun`, or is no sign-in. */
export async function redeem(answer: URL, begun: Omit<Begun, 'url'>): Promise<Tokens> {
  const server = await discovered()
  const checked = validateAuthResponse(server, client, answer, begun.state)
  const response = await authorizationCodeGrantRequest(server, client, None(), checked, REDIRECT, begun.verifier, {
    ...insecure,
    additionalParameters: { resource: boot.resource ?? '' },
  })
  const expected = { expectedNonce: begun.nonce, requireIdToken: true }
  return tokensOf(await processAuthorizationCodeResponse(server, client, response, expected))
}

/** New tokens without asking anybody. */
export async function renew(tokens: Tokens & { readonly refresh: string }): Promise<Tokens> {
  const server = await discovered()
  const response = await refreshTokenGrantRequest(server, client, None(), tokens.refresh, {
    ...insecure,
    additionalParameters: { resource: boot.resource ?? '' },
  })
  const next = tokensOf(await processRefreshTokenResponse(server, client, response))
  return { ...next, refresh: next.refresh ?? tokens.refresh, id: next.id ?? tokens.id }
}

/** Ends tokens at the provider; the address where its session ends, if it has one. */
export async function endSession({ refresh, id }: Tokens): Promise<string | undefined> {
  const server = await discovered()
  // Access tokens are signed texts, which providers take back no more.
  if (server.revocation_endpoint !== undefined && refresh !== undefined)
    await revocationRequest(server, client, None(), refresh, insecure).catch(() => undefined)
  if (server.end_session_endpoint === undefined) return undefined
  const url = new URL(server.end_session_endpoint)
  if (id !== undefined) url.searchParams.set('id_token_hint', id)
  url.searchParams.set('client_id', client.client_id)
  url.searchParams.set('post_logout_redirect_uri', consoleUrl)
  return url.href
}

const REDIRECT = `${consoleUrl}/callback`
const client: Client = { client_id: boot.client_id ?? '' }
const issuer = new URL(boot.issuer ?? location.origin)
/** The gateway allows plain http for providers on this machine alone. */
const insecure = { [allowInsecureRequests]: issuer.protocol === 'http:' }

let discovery: Promise<AuthorizationServer> | undefined

function discovered(): Promise<AuthorizationServer> {
  discovery ??= discoveryRequest(issuer, insecure)
    .then(response => processDiscoveryResponse(issuer, response))
    .catch(error => {
      // The next try asks again.
      discovery = undefined
      throw error
    })
  return discovery
}

function tokensOf({ access_token, refresh_token, id_token, expires_in }: TokenEndpointResponse): Tokens {
  const seconds = expires_in ?? DEFAULT_LIFE_S
  return { access: access_token, refresh: refresh_token, id: id_token, expiresAt: Date.now() + seconds * 1000 }
}

/** Where the provider does not say: the gateway refuses the token once it is over. */
const DEFAULT_LIFE_S = 3600
