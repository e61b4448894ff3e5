import { CommandFailed } from '../server/failure.ts'
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
