import type { Settings } from '../../config/settings.ts'
import type { EpochMs } from '../../policy/config.ts'
import type { GroupEntry } from '../../policy/groups.ts'
import type { Role } from '../../policy/role.ts'
import type { SignIn } from '../accounts/sign-in/sign-in.ts'

/** Who an operator is, as the audit names them, and what proves it. */
export interface Operator {
  readonly by: string
  readonly proof: 'token' | 'account' | 'certificate'
  /** The role by groups in the token of a sign-in. */
  readonly granted?: GrantedRole
}

/** A role by groups, which ends with the token that proves them, and with the entries that granted it. */
interface GrantedRole {
  readonly role: Role
  readonly until: EpochMs
  readonly groups: readonly GroupEntry[]
}

/** The role that the groups of a sign-in grant, by the files of this moment. */
export function grantedTo(
  { role, expiresAt }: SignIn,
  identity: Settings['identity'],
): { readonly granted?: GrantedRole } {
  return role && identity ? { granted: { role, until: expiresAt, groups: identity.groups } } : {}
}

/** An operator's role by the files as they are now; undefined where they no longer name the operator. */
export function roleOf(
  { identity, server }: Pick<Settings, 'identity' | 'server'>,
  operator: Operator,
): Role | undefined {
  const { by, proof, granted } = operator
  if (proof === 'token') return server.adminTls?.clientCa ? undefined : 'admin'
  const lists = proof === 'account' ? identity : server.adminTls
  const name = proof === 'account' ? by : by.slice(CERTIFIED.length)
  if (lists?.admins.includes(name)) return 'admin'
  if (lists?.support.includes(name)) return 'support'
  if (lists?.viewers.includes(name)) return 'viewer'
  return granted && identity && sameEntries(granted.groups, identity.groups) ? granted.role : undefined
}

const sameEntries = (one: readonly GroupEntry[], other: readonly GroupEntry[]): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other)

/** The operators' bearer token: that of the files as they are now, or that of the process. */
export const adminTokenOf = ({ server }: Pick<Settings, 'server'>, own: string): string =>
  server.adminToken?.reveal() ?? own

/** The operator that a certificate names. No other operator can be called so: names of the admin token stand behind `operator`. */
export const certifiedOperator = (name: string): Operator => ({ by: CERTIFIED + name, proof: 'certificate' })

const CERTIFIED = 'certificate '

/** Whether a sign-in can be an operator's. */
export const hasOperators = ({ identity }: Pick<Settings, 'identity'>): boolean =>
  identity !== undefined &&
  (identity.admins.length + identity.support.length + identity.viewers.length > 0 ||
    identity.groups.some(({ role }) => role !== undefined))
