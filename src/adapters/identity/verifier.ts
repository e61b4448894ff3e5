import {
  decodeProtectedHeader,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  jwtVerify,
  type ProtectedHeaderParameters,
} from 'jose'
import type { ServiceAccounts } from '../../config/settings.ts'
import { personOf } from '../../gateway/accounts/sign-in/people.ts'
import { serviceOf } from '../../gateway/accounts/sign-in/services.ts'
import { type BadToken, CLOCK_TOLERANCE_S, type VerifyToken } from '../../gateway/accounts/sign-in/sign-in.ts'
import { type TokenFault, type TokenProblems, tokenProblems } from '../../gateway/accounts/sign-in/token-problems.ts'
import type { Clock } from '../../gateway/ports.ts'
import type { GroupEntry } from '../../policy/groups.ts'
import type { ProviderKeys } from './provider-keys.ts'

/** The rules for a token to be accepted. */
export interface TokenRules {
  /** The `iss` of its tokens, to the letter, and where its discovery document is. */
  readonly issuer: string
  /** The audience that `aud` must contain, to the letter. */
  readonly audience: string
  /** The `typ` headers of access tokens; `at+jwt` alone by default. RFC 9068 2.1. */
  readonly tokenTypes?: readonly string[] | undefined
  /** The claims that name the plan and the label of the account. */
  readonly planClaim?: string | undefined
  readonly labelClaim?: string | undefined
  /** The claim that identifies the person; `sub` by default. */
  readonly accountClaim?: string | undefined
  /** Grants to members of the provider's groups. */
  readonly groups?: readonly GroupEntry[] | undefined
  /** Which accounts tokens of services have; without it they are of people, who sign in. */
  readonly accounts?: readonly ServiceAccounts[] | undefined
  readonly clock: Clock
}

/** Verifies sign-in tokens by the provider's keys; nothing is cached. RFC 8725, RFC 9068 4. */
export function verifierOf(options: TokenRules, keys: Pick<ProviderKeys, 'judge'>): VerifyToken {
  const { issuer, audience, accounts, clock } = options
  const { tokenTypes = accounts ? SERVICE_TYPES : DEFAULT_TYPES } = options
  const types = new Set(tokenTypes.map(typeOf))
  const problems = tokenProblems({ issuer, audience, types })
  const expected: JWTVerifyOptions = {
    issuer,
    audience,
    algorithms: ALGORITHMS,
    requiredClaims: ['iss', 'sub', 'aud', 'exp', 'iat'],
    clockTolerance: CLOCK_TOLERANCE_S,
    // This also refuses an `iat` in the future.
    maxTokenAge: AGE_MAX_S,
  }

  return async token => {
    // The form first, which needs no keys: it is checked even while the provider is down.
    const form = readType(token, types, problems)
    if ('problem' in form) return form
    try {
      const checks = { ...expected, currentDate: new Date(clock.now()) }
      const payload = await keys.judge(
        find => payloadOf(token, find, checks),
        error => mayBeRotated(token, error),
      )
      if (accounts) return serviceOf(payload, { issuer, accounts }) ?? problems.claims
      if (!isAccessToken(form.type, payload, audience)) return problems.type
      return personOf(payload, options) ?? problems.claims
    } catch (error) {
      if (error instanceof errors.JOSEError) return problems[faultOf(error)]
      throw error
    }
  }
}

/** The claims of a token, verified by the key it names; where it names none and several keys fit, by the one that signed it. */
async function payloadOf(token: string, find: JWTVerifyGetKey, options: JWTVerifyOptions): Promise<JWTPayload> {
  try {
    return (await jwtVerify(token, find, options)).payload
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error
    for await (const key of error) {
      try {
        return (await jwtVerify(token, key, options)).payload
      } catch (error) {
        if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error
      }
    }
    throw new errors.JWSSignatureVerificationFailed()
  }
}

/** A token without a kid shows only by its signature that it is of a key not read yet. */
const mayBeRotated = (token: string, error: unknown): boolean =>
  error instanceof errors.JWKSNoMatchingKey ||
  (error instanceof errors.JWSSignatureVerificationFailed && decodeProtectedHeader(token).kid === undefined)

const AGE_MAX_S = 24 * 3600
const DEFAULT_TYPES = ['at+jwt']
/** Those of Kubernetes name none. That they are for this gateway their audience says, which no token of a person there has. */
const SERVICE_TYPES = ['', 'jwt', 'at+jwt']

/** A token's `typ`, as it is compared: without case or `application/`. RFC 7515 4.1.9, RFC 9068 4. */
const typeOf = (typ: string): string => typ.toLowerCase().replace(/^application\//, '')

/** The `typ` of a token whose form and header are as they must be; its signature and claims are still unknown. */
function readType(token: string, types: ReadonlySet<string>, problems: TokenProblems): { type: string } | BadToken {
  const header = readHeader(token)
  if (!header) return problems.form
  if (FOREIGN.some(name => Object.hasOwn(header, name))) return problems.header
  if (!ALGORITHMS.includes(String(header.alg))) return problems.algorithm
  const type = typeof header.typ === 'string' ? typeOf(header.typ) : ''
  return types.has(type) ? { type } : problems.type
}

function readHeader(token: string): ProtectedHeaderParameters | undefined {
  if (token.length > BYTES_MAX) return undefined
  const parts = token.split('.')
  if (parts.length !== 3 || !parts.every(isCanonical)) return undefined
  try {
    return decodeProtectedHeader(token)
  } catch {
    // Not JSON: undefined makes the caller answer with `problems.form`.
    return undefined
  }
}

/** The one spelling of its bytes: jose also reads padding, spaces and stray bits in the last character. */
const isCanonical = (part: string): boolean =>
  part !== '' && Buffer.from(part, 'base64url').toString('base64url') === part

/**
 * Whether the claims belong to an access token, which the type `at+jwt` alone proves. Any other type is shared with ID tokens,
 * so the rules for the two must exclude each other (RFC 8725 3.12): an access token has a scope, which no ID token
 * has; none of the claims only others have; and it is for us, not for the client that asked for it.
 */
function isAccessToken(type: string, claims: JWTPayload, audience: string): boolean {
  if (type === 'at+jwt') return true
  const has = (name: string) => Object.hasOwn(claims, name)
  if (!has('scope') && !has('scp')) return false
  if (FOREIGN_CLAIMS.some(has)) return false
  if (CLIENT_CLAIMS.some(name => claims[name] === audience)) return false
  // Keycloak and Cognito name the type in a claim of their own.
  return (!has('typ') || claims.typ === 'Bearer') && (!has('token_use') || claims.token_use === 'access')
}

/** Accepted signatures: none is symmetric. */
const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA']
const BYTES_MAX = 8192
/** Where else a key could come from than the provider's own set, and extensions that would have to be understood. RFC 8725 3.10. */
const FOREIGN = ['jku', 'jwk', 'x5c', 'x5u', 'crit']
/** Claims of ID tokens (OIDC Core 2, 3.3.2.11) and of logout tokens (Back-Channel Logout 2.4). */
const FOREIGN_CLAIMS = ['nonce', 'at_hash', 'c_hash', 's_hash', 'events']
/** The claims by which providers name the client that a token was issued to. */
const CLIENT_CLAIMS = ['client_id', 'azp', 'cid']

/** The fault by which jose refuses a token. */
function faultOf(error: errors.JOSEError): TokenFault {
  if (error instanceof errors.JWTExpired) return 'expired'
  if (error instanceof errors.JWTClaimValidationFailed) return claimFault(error)
  if (error instanceof errors.JWTInvalid || error instanceof errors.JWSInvalid) return 'form'
  return 'key'
}

function claimFault({ claim, reason }: errors.JWTClaimValidationFailed): TokenFault {
  if (reason !== 'check_failed') return 'claims'
  if (claim === 'iss') return 'issuer'
  if (claim === 'aud') return 'audience'
  return 'early'
}
