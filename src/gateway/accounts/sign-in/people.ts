import type { JWTPayload } from 'jose'
import { type GroupEntry, type GroupFault, type GroupGrants, grantsOf, MOST_GROUPS } from '../../../policy/groups.ts'
import { groupClaim } from '../../../policy/plan.ts'
import { signInOf } from './claims.ts'
import type { BadToken, SignIn } from './sign-in.ts'

interface PeopleRules extends NonNullable<Parameters<typeof signInOf>[1]> {
  readonly groups?: readonly GroupEntry[] | undefined
}

/**
 * The sign-in of a person, whose groups decide plan, org and role before other claims do. Undefined when `sub` or `exp` is malformed; a
 * problem when the groups cannot be read.
 */
export function personOf(
  claims: JWTPayload,
  { groups = NO_GROUPS, ...rules }: PeopleRules,
): SignIn | BadToken | undefined {
  const known = signInOf(claims, rules)
  if (!known) return undefined
  const granted = grantsOf(claims, groups)
  if ('fault' in granted) return { problem: faultText(granted), groups: { ...granted, account: known.account } }
  const plan = planIn(granted, known.issuer)
  return {
    ...known,
    ...(plan !== undefined && { plan }),
    ...(granted.org && { org: granted.org.org }),
    ...(granted.role && { role: granted.role.role }),
  }
}

const NO_GROUPS: readonly GroupEntry[] = []

/** The plan of an entry as accounts claim it: limits of its own make it a claim of its own. */
function planIn({ plan: entry }: GroupGrants, issuer: string): string | undefined {
  return entry?.limits ? groupClaim(entry.plan, issuer, entry) : entry?.plan
}

function faultText({ fault, claim }: GroupFault): string {
  const where = `The claim \`${claim}\` of this token`
  if (fault === 'overage')
    return `${where} is missing: the identity provider leaves it out for people in very many groups. Ask the operator to have it send only the groups that are assigned to this application.`
  if (fault === 'many')
    return `${where} lists more than ${MOST_GROUPS} groups. Ask the operator to have the identity provider send fewer.`
  return `${where} is neither a text nor a list of texts. Ask the operator to have the identity provider send the names of groups.`
}
