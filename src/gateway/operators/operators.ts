import type { Settings } from '../../config/settings.ts'
import type { Role } from '../../wire/admin/role.ts'

/** Who an operator is, as the audit names them, and what proves it. */
export interface Operator {
  readonly by: string
  readonly proof: 'token' | 'account'
}

/** What an operator may do by the files as they are now; undefined where they no longer name the operator. */
export function roleOf({ identity }: Pick<Settings, 'identity'>, { by, proof }: Operator): Role | undefined {
  if (proof === 'token') return 'admin'
  if (identity?.admins.includes(by)) return 'admin'
  if (identity?.support.includes(by)) return 'support'
  return identity?.viewers.includes(by) ? 'viewer' : undefined
}

/** Whether a sign-in can be an operator's. */
export const hasOperators = ({ identity }: Pick<Settings, 'identity'>): boolean =>
  identity !== undefined && identity.admins.length + identity.support.length + identity.viewers.length > 0
