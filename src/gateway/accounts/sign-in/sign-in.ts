import { hash } from 'node:crypto'
import type { EpochMs } from '../../../policy/config.ts'
import type { Denied } from '../../../policy/denial.ts'
import type { GroupFault } from '../../../policy/groups.ts'
import type { Role } from '../../../policy/role.ts'

/** Who an accepted sign-in token speaks for. */
export interface SignIn {
  readonly account: string
  readonly issuer: string
  readonly subject: string
  /** The configured plan claim, as the provider wrote it; the config may not know such a plan. */
  readonly plan?: string
  /** The org that its groups name. */
  readonly org?: string
  /** The role of an operator that its groups grant for as long as the token is valid. */
  readonly role?: Role
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
  /** Set where the token is good, and its groups cannot be known. */
  readonly groups?: GroupFault & { readonly account: string }
}

/** Judges a sign-in token. Rejects with ProviderUnavailable, and only then. */
export type VerifyToken = (token: string) => Promise<SignIn | BadToken>

/** The keys of the identity provider were never read, or not within 24 h, and it cannot be reached. */
export class ProviderUnavailable extends Error {
  override readonly name = 'ProviderUnavailable'
}

/** The refusal of a bad token: 403 where the token itself is good. */
export const tokenDenied = ({ problem, groups }: BadToken): Denied => ({
  denial: { code: groups ? 'GROUPS_UNREADABLE' : 'INVALID_TOKEN', problem },
})

export const isBadToken = (judged: SignIn | BadToken): judged is BadToken => 'problem' in judged

/** Derived from issuer and subject, not from the e-mail address: addresses get reassigned. */
export function accountOf(issuer: string, subject: string): string {
  // JSON keeps the two apart whatever they hold, and lone surrogates too, which UTF-8 would make one character.
  return `acct_${hash('sha256', JSON.stringify([issuer, subject])).slice(0, 40)}`
}
