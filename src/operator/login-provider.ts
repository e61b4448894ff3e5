import { CommandFailed } from '../server/failure.ts'
import { isObject, type JsonObject } from '../wire/openai/body.ts'
import { ask, printable, safeUrl, unreachable } from './login-http.ts'

/** An identity provider, as far as signing in goes. */
export interface Issuer {
  readonly issuer: string
  readonly token: URL
  /** RFC 8628. */
  readonly device?: URL
  /** RFC 7009. */
  readonly revocation?: URL
  readonly scopes: readonly string[]
}

/** Reads the provider's metadata. OIDC Discovery 4. */
export async function discover(issuer: string): Promise<Issuer> {
  safeUrl(issuer, 'the issuer')
  const url = new URL(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`)
  const { status, body } = await ask(url)
  if (status !== 200) throw unreachable(url, `its metadata answer ${status}`)
  // Otherwise the server of this document could obtain tokens of another issuer.
  if (body.issuer !== issuer) {
    throw new CommandFailed(`✗ ${url.origin} is another issuer: ${printable(String(body.issuer))}`)
  }
  const { token_endpoint, device_authorization_endpoint, revocation_endpoint, scopes_supported } = body
  return {
    issuer,
    token: safeUrl(token_endpoint, 'its token endpoint'),
    ...(device_authorization_endpoint !== undefined && {
      device: safeUrl(device_authorization_endpoint, 'its device endpoint'),
    }),
    ...(revocation_endpoint !== undefined && { revocation: safeUrl(revocation_endpoint, 'its revocation endpoint') }),
    scopes: Array.isArray(scopes_supported) ? scopes_supported.map(String) : [],
  }
}

/** What a provider gave. */
export interface Tokens {
  readonly accessToken: string
  readonly refreshToken?: string
  readonly idToken?: string
}

/** What an access token says of itself. */
export interface Subject {
  readonly issuer: string
  readonly subject: string
  readonly expiresAt: number
}

/** The tokens of a token response. RFC 6749 5.1. */
export function tokensOf({ access_token, token_type, refresh_token, id_token }: JsonObject): Tokens {
  if (typeof access_token !== 'string' || !/^bearer$/i.test(String(token_type))) {
    throw new CommandFailed('✗ the identity provider gave no bearer token')
  }
  return {
    accessToken: access_token,
    ...(typeof refresh_token === 'string' && { refreshToken: refresh_token }),
    ...(typeof id_token === 'string' && { idToken: id_token }),
  }
}

/** Reads an access token that came from its issuer itself. Rejects one that the gateway would refuse anyway. */
export function readAccess(token: string, issuer: string, gateway: string): Subject {
  const { iss, sub, aud, exp } = claimsOf(token)
  const audiences = Array.isArray(aud) ? aud : [aud]
  if (iss !== issuer || typeof sub !== 'string' || typeof exp !== 'number' || !audiences.includes(gateway)) {
    throw new CommandFailed(
      `✗ ${issuer} gave an access token that is not for ${gateway}: let its client issue JWT access tokens for this audience`,
    )
  }
  return { issuer, subject: sub, expiresAt: exp * 1000 }
}

/** What people know the account by: the configured claim, else a usual one, else the subject. */
export function labelOf({ accessToken, idToken }: Tokens, claim: string | undefined): string {
  const claims = [claimsOf(accessToken), claimsOf(idToken ?? '')]
  const names = [...(claim ? [claim] : []), 'email', 'preferred_username', 'name', 'sub']
  const found = names
    .flatMap(name => claims.map(of => of[name]))
    .find(value => typeof value === 'string' && value !== '')
  return printable(String(found))
}

/** The claims of a JWT, unverified: empty for anything else. */
function claimsOf(token: string): JsonObject {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
    return isObject(claims) ? claims : {}
  } catch {
    // An opaque token says nothing.
    return {}
  }
}
