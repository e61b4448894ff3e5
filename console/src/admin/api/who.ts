import type { Role } from '../../../../src/wire/admin/role.ts'
import { ask } from '../../shared/api.ts'
import { follow } from '../../shared/resource.ts'

/** Who the operator is, and what answers. */
interface WhoAmI {
  /** As the audit names them. */
  readonly by: string
  readonly role: Role
  readonly version: string
  /** `host:pid` */
  readonly gateway: string
  readonly revision: string
  readonly number: number
  readonly store_state: 'ok' | 'unavailable'
  /** Whether decisions are written down. */
  readonly decisions: boolean
}

const followed = follow<WhoAmI>(() => ask('/admin/whoami'), 2000)

/** As it was a moment ago. Every page has it. */
export const who = followed.shown

/** Whether the operator may do what a role is needed for. The gateway refuses it otherwise, and so it is not offered. */
export const may = (needed: Role): boolean => MAY[who.value.data?.role ?? 'viewer'].includes(needed)

const MAY: Readonly<Record<Role, readonly Role[]>> = {
  viewer: ['viewer'],
  support: ['viewer', 'support'],
  admin: ['viewer', 'support', 'admin'],
}

/** Asks for it again and again, until the function that this returns is called. */
export const followWho = followed.start
