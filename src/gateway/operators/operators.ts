import type { Settings } from '../../config/settings.ts'
import type { Role } from '../../wire/admin/role.ts'

/** Who an operator is, as the audit names them, and what proves it. */
export interface Operator {
  readonly by: string
  readonly proof: 'token' | 'account' | 'certificate'
}

/** An operator's role by the files as they are now; undefined where they no longer name the operator. */
export function roleOf(
  { identity, server }: Pick<Settings, 'identity' | 'server'>,
  operator: Operator,
): Role | undefined {
  const { by, proof } = operator
  if (proof === 'token') return server.adminTls?.clientCa ? undefined : 'admin'
  const lists = proof === 'account' ? identity : server.adminTls
  const name = proof === 'account' ? by : by.slice(CERTIFIED.length)
  if (lists?.admins.includes(name)) return 'admin'
  if (lists?.support.includes(name)) return 'support'
  return lists?.viewers.includes(name) ? 'viewer' : undefined
}

/** The operators' bearer token: that of the files as they are now, or that of the process. */
export const adminTokenOf = ({ server }: Pick<Settings, 'server'>, own: string): string =>
  server.adminToken?.reveal() ?? own

/** The operator that a certificate names. No other operator can be called so: names of the admin token stand behind `operator`. */
export const certifiedOperator = (name: string): Operator => ({ by: CERTIFIED + name, proof: 'certificate' })

const CERTIFIED = 'certificate '

/** Whether a sign-in can be an operator's. */
export const hasOperators = ({ identity }: Pick<Settings, 'identity'>): boolean =>
  identity !== undefined && identity.admins.length + identity.support.length + identity.viewers.length > 0
