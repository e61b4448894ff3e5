import { errors, type JWTVerifyOptions, jwtVerify } from 'jose'
import type { VerifyToken } from '../../gateway/sign-in.ts'
import { isAccessToken, signInOf } from './claims.ts'
import type { IdentityOptions } from './identity.ts'
import { faultOf, problemsOf } from './problems.ts'
import type { ProviderKeys } from './provider-keys.ts'
import { ALGORITHMS, readType, typeOf } from './token-form.ts'

/** For clocks that differ. */
const TOLERANCE_S = 30
const AGE_MAX_S = 24 * 3600
const DEFAULT_TYPES = ['at+jwt']

/** Judges sign-in tokens by the provider's keys, remembering nothing. RFC 8725, RFC 9068 4. */
export function verifierOf(options: IdentityOptions, keys: Pick<ProviderKeys, 'find'>): VerifyToken {
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
    // First what needs no keys, so that it is told while the provider is down.
    const form = readType(token, types, problems)
    if ('problem' in form) return form
    try {
      const { payload } = await jwtVerify(token, keys.find, { ...expected, currentDate: new Date(clock.now()) })
      if (!isAccessToken(form.type, payload, audience)) return problems.type
      return signInOf(payload, options) ?? problems.claims
    } catch (error) {
      if (error instanceof errors.JOSEError) return problems[faultOf(error)]
      throw error
    }
  }
}
