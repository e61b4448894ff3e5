import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

/** The directory of a program for this user's settings. https://specifications.freedesktop.org/basedir-spec */
export function userConfigDir(program: string): string {
  const base = process.env.XDG_CONFIG_HOME ?? ''
  // A relative one counts as none.
  return join(isAbsolute(base) ? base : join(home(), '.config'), program)
}

/** A container may run as a user id that no file of users knows: nothing is kept for it, and commands go on. */
function home(): string {
  try {
    return homedir()
  } catch {
    return '/nonexistent'
  }
}
