import type { BadToken } from './sign-in.ts'

/** The answer to each fault of a token: the fault and the remedy in one sentence. `types` are the `typ` headers that are accepted. */
export function tokenProblems({ issuer, audience, types }: ExpectedToken): TokenProblems {
  const ask = `Ask ${issuer} for an access token`
  // Where the type is shared with ID tokens, a scope marks an access token.
  const named = [...types]
    .filter(Boolean)
    .map(type => (type === 'at+jwt' ? type : `${type} with a scope`))
    .join(' or ')
  // Keycloak and Entra give access tokens this type.
  const allow = types.has('jwt') ? '' : ' The operator allows access tokens of type JWT by token_types: [at+jwt, JWT].'
  const problem = (text: string): BadToken => ({ problem: text })
  return {
    form: problem(
      'Send the whole access token, as the identity provider issued it: this is not a signed JWT of at most 8 KB.',
    ),
    header: problem(
      `${ask} without jku, jwk, x5c, x5u or crit in its header: keys and extensions of a token are not trusted.`,
    ),
    algorithm: problem(`${ask} signed with RS256, PS256, ES256 or EdDSA: other algorithms are not accepted.`),
    type: problem(`${ask} of type ${named}: ID tokens and others are not accepted.${allow}`),
    expired: problem('Sign in again: this token is too old.'),
    early: problem(
      'Wait until this token is valid, or set the clock of the identity provider: it starts in the future.',
    ),
    issuer: problem(`Sign in at ${issuer}: this token is of another issuer.`),
    audience: problem(`${ask} whose audience is ${audience}: this one is for another.`),
    claims: problem(`${ask} with iss, sub, aud, exp and iat: one of them is missing or malformed.`),
    key: problem('Sign in again: no current key of the identity provider has signed this token.'),
  }
}

export type TokenFault =
  | 'form'
  | 'header'
  | 'algorithm'
  | 'type'
  | 'expired'
  | 'early'
  | 'issuer'
  | 'audience'
  | 'claims'
  | 'key'

export type TokenProblems = Readonly<Record<TokenFault, BadToken>>

interface ExpectedToken {
  readonly issuer: string
  readonly audience: string
  readonly types: ReadonlySet<string>
}

/** The answer to a token of an issuer that `identity` does not name. */
export const UNKNOWN_ISSUER: BadToken = { problem: 'The issuer of this token has no accounts here.' }
