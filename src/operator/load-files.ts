import { renderText } from '../config/format/problem-text.ts'
import { type Load, load } from '../config/load.ts'
import type { Problem } from '../config/problem.ts'
import type { Loaded } from '../config/settings.ts'
import { hasStandIn, lacking, loadWithStandIns } from '../config/stand-ins.ts'
import { CommandFailed } from '../server/failure.ts'
import { lookOf } from '../server/log/terminal-text.ts'

/** Loads for a command that only shows the files. Lists unset variables on stderr, and never shows a secret. */
export function loadToShow(file: string): Loaded {
  const loaded = loadedOrFail(loadWithStandIns(file, process.env, process.cwd()))
  const missing = lacking(file, process.env, process.cwd())
  if (missing.length > 0)
    console.error(`▲ left open, because this shell does not have the values: ${missing.join(', ')}`)
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
    identity: ({ settings: { identity } }) =>
      identity?.issuer === undefined ? [] : [identity.issuer, identity.clientId],
    server: ({ settings: { identity } }) => (identity ? [identity.audience] : []),
  })

/** The needs of each section; the names are those of the file. */
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

/** The loaded configuration, after its warnings are printed. Throws CommandFailed with every Problem of an invalid one. */
export function loadedOrFail(result: Load): Loaded {
  const text = (problems: readonly Problem[]) => renderText(problems, result.sources, lookOf(process.stderr)).trimEnd()
  if (!result.ok) throw new CommandFailed(text(result.problems))
  if (result.loaded.warnings.length > 0) console.error(text(result.loaded.warnings))
  return result.loaded
}
