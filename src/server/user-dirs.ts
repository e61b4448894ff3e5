import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

/** The directory of a program for this user's settings, or for what may be removed at any time. https://specifications.freedesktop.org/basedir-spec */
export function userDir(kind: keyof typeof BASES, program: string): string {
  const { variable, usual } = BASES[kind]
  const base = process.env[variable] ?? ''
  // A relative one counts as none.
  return join(isAbsolute(base) ? base : join(home(), usual), program)
}

/** A container may run as a user id that no file of users knows: nothing is kept for it, and commands go on. */
function home(): string {
  try {
    return homedir()
  } catch {
    return '/nonexistent'
  }
}

const BASES = {
  config: { variable: 'XDG_CONFIG_HOME', usual: '.config' },
  cache: { variable: 'XDG_CACHE_HOME', usual: '.cache' },
} as const
