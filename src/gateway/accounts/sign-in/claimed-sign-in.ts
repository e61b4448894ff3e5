import type { IdentitySettings } from '../../../config/settings.ts'
import type { EpochMs } from '../../../policy/config.ts'
import { personOf } from './people.ts'
import { serviceOf } from './services.ts'
import { type BadToken, CLOCK_TOLERANCE_S, type SignIn } from './sign-in.ts'
import { tokenProblems, UNKNOWN_ISSUER } from './token-problems.ts'

/** The contents of a token, by claim. */
export type TokenClaims = Readonly<Record<string, unknown>>

/**
 * Who a token with these claims speaks for, were it signed by its issuer: no key is asked for. Without `iss` it is of the
 * provider of people; without `sub`, `exp` and `aud` it has some that are good.
 */
export function claimedSignIn(claims: TokenClaims, identity: IdentitySettings, at: EpochMs): SignIn | BadToken {
  const { iss = identity.issuer, ...own } = claims
  const service = identity.issuers.find(({ issuer }) => issuer === iss)
  const issuer = service?.issuer ?? identity.issuer
  if (issuer === undefined) return UNKNOWN_ISSUER
  const { audience } = service ?? identity
  const problems = tokenProblems({ issuer, audience, types: new Set(identity.tokenTypes) })
  if (issuer !== iss) return problems.issuer
  const nowS = Math.floor(at / 1000)
  const { aud = audience, exp = nowS + HOUR_S } = own
  if (![aud].flat().includes(audience)) return problems.audience
  if (typeof exp !== 'number') return problems.claims
  if (exp <= nowS - CLOCK_TOLERANCE_S) return problems.expired
  const whole = { sub: 'somebody', ...own, iss: issuer, exp }
  const signIn = service ? serviceOf(whole, service) : personOf(whole, { ...identity, issuer })
  return signIn ?? problems.claims
}

const HOUR_S = 3600
