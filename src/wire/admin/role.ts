import { ROLES, type Role } from '../../policy/role.ts'

export { ROLES, type Role }

/** Whether a role may do what another one is needed for. */
export const isRoleFor = (has: Role, needed: Role): boolean => ROLES.indexOf(has) >= ROLES.indexOf(needed)
