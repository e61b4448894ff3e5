import type { Settings } from '../config/settings.ts'
import { type GroupEntry, type GroupGrants, grantsOf } from '../policy/groups.ts'
import type { Role } from '../policy/role.ts'
import type { Scenario } from './scenario.ts'

/** Grants by the groups in the token of a scenario, with the entries that decide. */
export interface Granted {
  readonly role?: Role
  /** `plan pro by ml-*, org:ml by ml-*` */
  readonly text: string
}

/** Undefined where no token of a person lists a group that an entry names. */
export function grantedIn({ identity }: Settings, { who }: Pick<Scenario, 'who'>): Granted | undefined {
  if (!identity || !('claims' in who)) return undefined
  const { iss = identity.issuer } = who.claims
  if (iss !== identity.issuer) return undefined
  const granted = grantsOf(who.claims, identity.groups)
  const text = 'fault' in granted ? '' : textOf(granted)
  if ('fault' in granted || text === '') return undefined
  return { text, ...(granted.role && { role: granted.role.role }) }
}

const textOf = ({ plan, org, role }: GroupGrants): string =>
  [
    plan && `plan ${plan.plan} by ${groupOf(plan)}`,
    org && `org:${org.org} by ${groupOf(org)}`,
    role && `role ${role.role} by ${groupOf(role)}`,
  ]
    .filter(each => each !== undefined)
    .join(', ')

const groupOf = ({ is }: GroupEntry): string => is.join(' or ')
