import { decodeJwt } from 'jose'
import type { VerifyToken } from '../../gateway/accounts/sign-in/sign-in.ts'
import { UNKNOWN_ISSUER } from '../../gateway/accounts/sign-in/token-problems.ts'
import type { Identity } from './identity.ts'

/**
 * The verification of tokens of several issuers, each by its own keys and rules. What a token says of its issuer chooses
 * who judges it, and is judged there. A token of none of them goes to the first, which is that of people.
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
