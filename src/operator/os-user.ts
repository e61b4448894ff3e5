import { hostname, userInfo } from 'node:os'
import { CommandFailed, exitCodes } from '../server/failure.ts'
import { USER, USER_HINT } from '../wire/admin/user.ts'

/** Who runs this command, as the audit of the gateway has it beside the admin token: SVCCTL_USER, else the user of the machine. */
export function osUser(): string {
  const { SVCCTL_USER: named } = process.env
  if (named === undefined || named === '') return userAt(userName(), hostname())
  if (USER.test(named)) return named
  throw new CommandFailed(`✗ SVCCTL_USER ${USER_HINT}`, exitCodes.usage)
}

/** `ada@laptop`, in the characters and the length that the gateway takes. */
export function userAt(user: string, host: string): string {
  const written = `${user}@${host}`.replace(/[^!-~]/gu, '_').slice(0, 64)
  return USER.test(written) ? written : `_${written}`.slice(0, 64)
}

function userName(): string {
  try {
    return userInfo().username
  } catch {
    // Containers run under users that no file lists.
    return `uid${process.getuid?.() ?? ''}`
  }
}
