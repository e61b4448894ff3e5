import { decodeJwt } from 'jose'
import type { VerifyToken } from '../../gateway/accounts/sign-in/sign-in.ts'
import { UNKNOWN_ISSUER } from '../../gateway/accounts/sign-in/token-problems.ts'
import type { Identity } from './identity.ts'

/**
 * Verifies tokens of several issuers, each by its own keys and rules. The token's issuer claim selects the verifier, which then
 * checks it. The first verifier, that of people, gets tokens of unknown issuers.
 */
export function severalIssuers(first: Identity | undefined, others: ReadonlyMap<string, Identity>): VerifyToken {
  if (first && others.size === 0) return first.verify
  return async token => (others.get(issuerIn(token)) ?? first)?.verify(token) ?? UNKNOWN_ISSUER
}

function issuerIn(token: string): string {
  try {
    return decodeJwt(token).iss ?? ''
  } catch {
    // The issuer's own verifier reports faults of form.
    return ''
  }
}
