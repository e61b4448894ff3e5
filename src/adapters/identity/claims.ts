import type { JWTPayload } from 'jose'
import { isId, LABEL } from '../../gateway/accounts/accounts.ts'
import { accountOf, type SignIn } from '../../gateway/accounts/sign-in.ts'
import type { EpochMs } from '../../policy/config.ts'

const SUBJECT_MAX = 255
/** The last instant a Date can hold. */
const INSTANT_MAX: EpochMs = 8.64e15
/** Of ID tokens (OIDC Core 2, 3.3.2.11) and of logout tokens (Back-Channel Logout 2.4). */
const FOREIGN_CLAIMS = ['nonce', 'at_hash', 'c_hash', 's_hash', 'events']
/** The client a token was issued to, as providers name it. */
const CLIENT_CLAIMS = ['client_id', 'azp', 'cid']

/**
 * Whether the claims are those of an access token. `at+jwt` says so itself. Any other type is shared with ID tokens,
 * so the rules for the two must exclude each other (RFC 8725 3.12): an access token has a scope, which no ID token
 * has; none of the claims only others have; and it is for us, not for the client that asked for it.
 */
export function isAccessToken(type: string, claims: JWTPayload, audience: string): boolean {
  if (type === 'at+jwt') return true
  const has = (name: string) => Object.hasOwn(claims, name)
  if (!has('scope') && !has('scp')) return false
  if (FOREIGN_CLAIMS.some(has)) return false
  if (CLIENT_CLAIMS.some(name => claims[name] === audience)) return false
  // Keycloak and Cognito say it in a claim of their own.
  return (!has('typ') || claims.typ === 'Bearer') && (!has('token_use') || claims.token_use === 'access')
}

/** Who verified claims speak for; undefined when `sub` or `exp` is out of form. */
export function signInOf(
  claims: JWTPayload,
  {
    issuer,
    planClaim,
    labelClaim,
  }: { issuer: string; planClaim?: string | undefined; labelClaim?: string | undefined },
): SignIn | undefined {
  const { sub: subject, exp, iat } = claims
  if (typeof subject !== 'string' || subject === '' || subject.length > SUBJECT_MAX) return undefined
  const expiresAt = Math.floor((exp ?? Number.NaN) * 1000)
  if (!(expiresAt <= INSTANT_MAX)) return undefined
  const issuedAt = Math.floor((iat ?? 0) * 1000)
  const plan = textOf(claims, planClaim)
  const label = textOf(claims, labelClaim)
  return {
    account: accountOf(issuer, subject),
    issuer,
    subject,
    ...(plan !== undefined && isLine(plan) && { plan }),
    ...(label !== undefined && isLine(label) && !isId(label) && { label }),
    issuedAt,
    expiresAt,
  }
}

function textOf(claims: JWTPayload, name: string | undefined): string | undefined {
  if (name === undefined || !Object.hasOwn(claims, name)) return undefined
  const value = claims[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Both claims are shown to operators, in listings and alarms. */
const isLine = (text: string): boolean => LINE.test(text)
const LINE = new RegExp(LABEL, 'u')
