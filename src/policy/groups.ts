import type { LimitRule } from './limits/rule.ts'
import { matchesText } from './match-text.ts'
import type { Role } from './role.ts'

/** One entry of `identity.groups`: what the members of some groups of the identity provider get. */
export interface GroupEntry {
  /** The top-level claim that lists the groups of a person. */
  readonly claim: string
  /** Names of groups, each exact or, with a trailing `*`, a prefix. One match is enough. */
  readonly is: readonly string[]
  readonly plan?: string
  /** The name of an org, without `org:`. */
  readonly org?: string
  readonly role?: Role
  /** Limits in addition to those of `plan`, or in place of those that count the same. */
  readonly limits?: readonly LimitRule[]
}

/** The entries that decide, each the first match that states the value. */
export interface GroupGrants {
  readonly plan?: GroupEntry & { readonly plan: string }
  readonly org?: GroupEntry & { readonly org: string }
  readonly role?: GroupEntry & { readonly role: Role }
}

/**
 * Why the groups of a token cannot be known. `overage`: the provider left them out and names another place to ask, which is never
 * asked. `shape`: the claim is neither a text nor a list of texts. `many`: there are more than any accepted token can hold.
 */
export interface GroupFault {
  readonly fault: 'overage' | 'shape' | 'many'
  readonly claim: string
}

type Claims = Readonly<Record<string, unknown>>

/**
 * The grants of the groups in a token's claims. An absent claim is an empty list; a claim that cannot be read is a fault, so that
 * a person never gets another plan because a provider changed its format.
 */
export function grantsOf(claims: Claims, entries: readonly GroupEntry[]): GroupGrants | GroupFault {
  const byClaim = new Map<string, readonly string[]>()
  for (const { claim } of entries) {
    if (byClaim.has(claim)) continue
    const groups = groupsIn(claims, claim)
    if ('fault' in groups) return groups
    byClaim.set(claim, groups)
  }
  const matching = entries.filter(({ claim, is }) => isMember(byClaim.get(claim) ?? [], is))
  const plan = matching.find(statesPlan)
  const org = matching.find(statesOrg)
  const role = matching.find(statesRole)
  return { ...(plan && { plan }), ...(org && { org }), ...(role && { role }) }
}

/** The groups that a claim lists; a text is one group. */
function groupsIn(claims: Claims, claim: string): readonly string[] | GroupFault {
  if (isOverage(claims, claim)) return { fault: 'overage', claim }
  if (!Object.hasOwn(claims, claim)) return []
  const value = claims[claim]
  if (typeof value === 'string') return [value]
  if (!Array.isArray(value)) return { fault: 'shape', claim }
  if (value.length > MOST_GROUPS) return { fault: 'many', claim }
  return value.every(group => typeof group === 'string') ? value : { fault: 'shape', claim }
}

/**
 * Whether the provider sends a reference in place of the groups: Entra names the claim in `_claim_names` (OIDC Core 5.6.2), or sets
 * `hasgroups` in tokens of the implicit flow.
 */
function isOverage(claims: Claims, claim: string): boolean {
  if (Object.hasOwn(claims, '_claim_names')) {
    const names = claims._claim_names
    // Names in another form may include this claim.
    if (typeof names !== 'object' || names === null || Array.isArray(names)) return true
    if (Object.hasOwn(names, claim)) return true
  }
  return claim === 'groups' && claims.hasgroups === true && !Object.hasOwn(claims, claim)
}

const isMember = (groups: readonly string[], is: readonly string[]): boolean =>
  is.some(text => groups.some(group => matchesText(group, text)))

const statesPlan = (entry: GroupEntry): entry is GroupEntry & { readonly plan: string } => entry.plan !== undefined
const statesOrg = (entry: GroupEntry): entry is GroupEntry & { readonly org: string } => entry.org !== undefined
const statesRole = (entry: GroupEntry): entry is GroupEntry & { readonly role: Role } => entry.role !== undefined

/** A token of 8 KB holds fewer. */
export const MOST_GROUPS = 2000
