import { hash } from 'node:crypto'
import { type Load, load } from './load.ts'
import { type Env, replaceVariables } from './model/variables.ts'
import { type Disk, machineDisk } from './read/disk.ts'

/**
 * Loads a configuration whose variables need not be set, and whose secret files need not exist: stand-ins replace the
 * missing values, since no backend will be called. The problems are those that no missing value causes. Where a missing
 * value causes all of them, and no stand-in fits (a number, for instance), the result is the plain load's.
 */
export function loadWithStandIns(file: string, env: Env, cwd: string, disk: Disk = machineDisk): Load {
  const plain = load(file, env, cwd, disk)
  if (lackedBy(plain).length === 0) return plain
  const unset = unsetIn(plain.sources.values(), env)
  const standing = { ...disk, standIn: wordOf }
  const words = load(file, { ...env, ...standIns(unset, wordOf) }, cwd, standing)
  if (words.ok) return words
  const refused = new Set(words.problems.flatMap(({ file: name, line }) => unsetIn([lineOf(words, name, line)], env)))
  const mixed = { ...env, ...standIns(unset, name => (refused.has(name) ? addressOf(name) : wordOf(name))) }
  const again = load(file, mixed, cwd, standing)
  if (again.ok) return again
  const others = again.problems.filter(
    ({ file: name, line, message }) => unsetIn([lineOf(again, name, line)], env).length === 0 && !hasStandIn(message),
  )
  return others.length > 0 ? { ...again, problems: others } : plain
}

/** The lacks of a load, such as `CLOUD_KEY is not set`, for which `loadWithStandIns` put in stand-ins. */
export const lacking = (file: string, env: Env, cwd: string, disk: Disk = machineDisk): readonly string[] =>
  lackedBy(load(file, env, cwd, disk))

/** True if a text contains a stand-in, so that its value is unknown. */
export const hasStandIn = (text: string): boolean => text.includes(WORD) || text.includes(HOST)

const RULES: ReadonlySet<string> = new Set(['missing-env', 'no-secret-file'])

const lackedBy = (plain: Load): readonly string[] =>
  plain.ok ? [] : [...new Set(plain.problems.flatMap(({ rule, message }) => (RULES.has(rule) ? [message] : [])))]

const standIns = (names: readonly string[], of: (name: string) => string): Env =>
  Object.fromEntries(names.map(name => [name, of(name)]))

const lineOf = ({ sources }: Load, file: string, line: number): string => sources.get(file)?.split('\n')[line - 1] ?? ''

function unsetIn(texts: Iterable<string>, env: Env): string[] {
  const names: string[] = []
  for (const text of texts) {
    replaceVariables(text, (name, otherwise) => {
      if (otherwise === undefined && env[name] === undefined) names.push(name)
      return ''
    })
  }
  return names
}

/** The beginning of each stand-in for an unknown value: it breaks no address. */
const WORD = 'unset-variable-of-the-environment-unset'
/** Long enough for any secret, and in the form of a key of 32 bytes in base64; different for each name. */
const wordOf = (name: string): string => WORD + hash('sha256', name, 'base64url').slice(0, 4)
const HOST = 'unset.invalid'
/** The address names the variable, so that output which shows it makes sense. */
const addressOf = (name: string): string => `http://${name.toLowerCase().replaceAll('_', '-')}.${HOST}/v1`
