import { hash } from 'node:crypto'
import { renderText } from '../config/format/problem-text.ts'
import { type Load, load } from '../config/load.ts'
import type { Problem } from '../config/problem.ts'
import { type Disk, machineDisk } from '../config/read/disk.ts'
import { type Env, replaceVariables } from '../config/read/variables.ts'
import type { Loaded } from '../config/settings.ts'
import { CommandFailed } from '../server/failure.ts'
import { lookOf } from '../server/log/terminal-text.ts'

/** Loads for a command that only shows the files. What is not set here is listed on stderr, and no secret is ever shown. */
export function loadToShow(file: string): Loaded {
  const loaded = loadedOrFail(loadWithStandIns(file, process.env, process.cwd()))
  const missing = lacking(file, process.env, process.cwd())
  if (missing.length > 0) console.error(`▲ values that this shell does not have are left open: ${missing.join(', ')}`)
  return loaded
}

/** Loads to work on the store itself: its address and what the keys of guests are derived from must be known. */
export const loadForStore = (file: string): Loaded =>
  loadKnowing(file, {
    store: ({ settings: { store } }) => (store.kind === 'redis' ? [store.url.reveal()] : [store.path]),
    guests: ({ settings: { guests } }) => guests?.secrets.map(secret => secret.reveal()) ?? [],
  })

/** Loads to sign in: the provider and the public URL must be known. */
export const loadForSignIn = (file: string): Loaded =>
  loadKnowing(file, {
    identity: ({ settings: { identity } }) => (identity ? [identity.issuer, identity.clientId] : []),
    server: ({ settings: { identity } }) => (identity ? [identity.audience] : []),
  })

/** What must be known of each section; the names are those of the file. */
type Needs = Readonly<Record<string, (loaded: Loaded) => readonly string[]>>

/** Fails with every Problem, but lets the variables and secrets of other sections be missing. */
function loadKnowing(file: string, needs: Needs): Loaded {
  const loaded = loadedOrFail(loadWithStandIns(file, process.env, process.cwd()))
  const unknown = Object.keys(needs).filter(section => needs[section]?.(loaded).some(hasStandIn))
  if (unknown.length === 0) return loaded
  const plain = load(file, process.env, process.cwd())
  if (plain.ok) return plain.loaded
  const fields = [...loaded.fields].filter(([field]) => unknown.includes(field.split('.')[0] ?? ''))
  const lines = new Set(fields.map(([, { file: name, line }]) => `${name}:${line}`))
  const problems = plain.problems.filter(({ file: name, line }) => lines.has(`${name}:${line}`))
  throw new CommandFailed(renderText(problems, plain.sources, lookOf(process.stderr)).trimEnd())
}

/** What the stand-in of a value that this process does not know begins with: it breaks no address. */
const WORD = 'unset-variable-of-the-environment-unset'
/** Long enough for any secret, and in the form of a key of 32 bytes in base64; different for each name. */
const wordOf = (name: string): string => WORD + hash('sha256', name, 'base64url').slice(0, 4)
const HOST = 'unset.invalid'
/** The address names the variable, so that output which shows it makes sense. */
const addressOf = (name: string): string => `http://${name.toLowerCase().replaceAll('_', '-')}.${HOST}/v1`

/** Whether a text contains a stand-in, so that its value is unknown. */
export const hasStandIn = (text: string): boolean => text.includes(WORD) || text.includes(HOST)

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

/** What a load lacks, such as `CLOUD_KEY is not set`, where `loadWithStandIns` had to put something in its place. */
export const lacking = (file: string, env: Env, cwd: string, disk: Disk = machineDisk): readonly string[] =>
  lackedBy(load(file, env, cwd, disk))

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

/** The loaded configuration, after its warnings are printed. Throws CommandFailed with every Problem of an invalid one. */
export function loadedOrFail(result: Load): Loaded {
  const text = (problems: readonly Problem[]) => renderText(problems, result.sources, lookOf(process.stderr)).trimEnd()
  if (!result.ok) throw new CommandFailed(text(result.problems))
  if (result.loaded.warnings.length > 0) console.error(text(result.loaded.warnings))
  return result.loaded
}
