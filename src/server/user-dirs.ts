import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

/** The directory of a program for this user's settings, or for what may be removed at any time. https://specifications.freedesktop.org/basedir-spec */
export function userDir(kind: keyof typeof BASES, program: string): string {
  const { variable, usual } = BASES[kind]
  const base = process.env[variable] ?? ''
  // A relative one counts as none.
  return join(isAbsolute(base) ? base : join(homedir(), usual), program)
}

const BASES = {
  config: { variable: 'XDG_CONFIG_HOME', usual: '.config' },
  cache: { variable: 'XDG_CACHE_HOME', usual: '.cache' },
} as const
