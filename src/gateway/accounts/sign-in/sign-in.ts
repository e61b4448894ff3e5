import { hash } from 'node:crypto'
import type { EpochMs } from '../../../policy/config.ts'

/** Who an accepted sign-in token speaks for. */
export interface SignIn {
  readonly account: string
  readonly issuer: string
  readonly subject: string
  /** The configured plan claim, as the provider wrote it; the config may not know such a plan. */
  readonly plan?: string
  /** For display only: one line of at most 200 characters in NFKC, which the user may have chosen. A claim of another form counts as none. */
  readonly label?: string
  /** Set for a service: it is no person, manages no keys, and is no operator. */
  readonly isService?: true
  readonly issuedAt: EpochMs
  /** The token's own end. It may be accepted for CLOCK_TOLERANCE_S more. */
  readonly expiresAt: EpochMs
}

/** Clocks of the provider and of this machine may differ by so much. */
export const CLOCK_TOLERANCE_S = 30

/** A token that is not accepted, and what its sender can do; no part of the token is in the text. */
export interface BadToken {
  readonly problem: string
}

/** Judges a sign-in token. Rejects with ProviderUnavailable, and only then. */
export type VerifyToken = (token: string) => Promise<SignIn | BadToken>

/** The keys of the identity provider were never read, or not within 24 h, and it cannot be reached. */
export class ProviderUnavailable extends Error {
  override readonly name = 'ProviderUnavailable'
}

export const isBadToken = (judged: SignIn | BadToken): judged is BadToken => 'problem' in judged

/** Derived from issuer and subject, not from the e-mail address: addresses get reassigned. */
export function accountOf(issuer: string, subject: string): string {
  // JSON keeps the two apart whatever they hold, and lone surrogates too, which UTF-8 would make one character.
  return `acct_${hash('sha256', JSON.stringify([issuer, subject])).slice(0, 40)}`
}
