import type { IdentitySettings } from '../../config/settings.ts'
import type { EpochMs } from '../../policy/config.ts'
import { signInOf } from './claims.ts'
import { serviceOf } from './services.ts'
import type { BadToken, SignIn } from './sign-in.ts'

/** What a token says, by claim. */
export type TokenClaims = Readonly<Record<string, unknown>>

/**
 * Who a token with these claims speaks for, were it signed by its issuer: no key is asked for. Without `iss` it is of the
 * provider of people; without `sub`, `exp` and `aud` it has some that are good.
 */
export function claimedSignIn(claims: TokenClaims, identity: IdentitySettings, at: EpochMs): SignIn | BadToken {
  const { iss = identity.issuer, ...own } = claims
  const service = identity.issuers.find(({ issuer }) => issuer === iss)
  const issuer = service?.issuer ?? identity.issuer
  if (issuer === undefined || issuer !== iss)
    return { problem: 'This token is of an issuer that has no accounts here.' }
  const { audience } = service ?? identity
  const { aud = audience, exp = Math.floor(at / 1000) + HOUR_S } = own
  if (![aud].flat().includes(audience)) return { problem: `This token is for another audience than ${audience}.` }
  if (!(typeof exp === 'number' && exp * 1000 > at)) return { problem: 'Sign in again: this token is too old.' }
  const whole = { sub: 'somebody', ...own, iss: issuer, exp }
  const signIn = service ? serviceOf(whole, service) : signInOf(whole, { ...identity, issuer })
  return signIn ?? { problem: `This token has no \`sub\` of at most 255 characters.` }
}

const HOUR_S = 3600
