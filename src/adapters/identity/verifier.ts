import {
  decodeProtectedHeader,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  jwtVerify,
} from 'jose'
import type { VerifyToken } from '../../gateway/accounts/sign-in.ts'
import type { Clock } from '../../gateway/ports.ts'
import type { ProviderKeys } from './provider-keys.ts'
import { ALGORITHMS, faultOf, isAccessToken, problemsOf, readType, signInOf, typeOf } from './token-checks.ts'

/** What a token must be to be accepted. */
export interface TokenRules {
  /** The `iss` of its tokens, to the letter, and where its discovery document is. */
  readonly issuer: string
  /** What `aud` must contain, to the letter. */
  readonly audience: string
  /** The `typ` headers of access tokens; `at+jwt` alone by default. RFC 9068 2.1. */
  readonly tokenTypes?: readonly string[] | undefined
  /** The claims that name the plan and the label of the account. */
  readonly planClaim?: string | undefined
  readonly labelClaim?: string | undefined
  readonly clock: Clock
}

/** Verifies sign-in tokens by the provider's keys; nothing is cached. RFC 8725, RFC 9068 4. */
export function verifierOf(options: TokenRules, keys: Pick<ProviderKeys, 'judge'>): VerifyToken {
  const { issuer, audience, tokenTypes = DEFAULT_TYPES, clock } = options
  const types = new Set(tokenTypes.map(typeOf))
  const problems = problemsOf({ issuer, audience, types })
  const expected: JWTVerifyOptions = {
    issuer,
    audience,
    algorithms: ALGORITHMS,
    requiredClaims: ['iss', 'sub', 'aud', 'exp', 'iat'],
    clockTolerance: TOLERANCE_S,
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
      if (!isAccessToken(form.type, payload, audience)) return problems.type
      return signInOf(payload, options) ?? problems.claims
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

/** Clocks of the provider and of this machine may differ by so much. */
const TOLERANCE_S = 30
const AGE_MAX_S = 24 * 3600
const DEFAULT_TYPES = ['at+jwt']
