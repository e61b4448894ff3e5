import { basename, dirname, isAbsolute, join, normalize, relative, resolve, sep } from 'node:path'
import { counted } from '../../config/format/problem-text.ts'
import type { Span } from '../../config/model/tree.ts'
import type { Problem } from '../../config/problem.ts'
import type { FileText, Loaded } from '../../config/settings.ts'
import type { ApplyDenial, RevisionDenial } from '../../policy/denial.ts'

/** A candidate that cannot be applied: thrown on the way, and answered as the denial it holds. */
export class Refused extends Error {
  override readonly name = 'Refused'
  readonly denial: ApplyDenial | RevisionDenial

  constructor(denial: ApplyDenial | RevisionDenial) {
    super(denial.code)
    this.denial = denial
  }
}

/** A refusal with one sentence. */
export const refusal = (reason: string): Refused =>
  new Refused({ code: 'APPLY_REFUSED', reason, problems: [], text: '' })

/** A refusal with a longer sentence; any other error unchanged. */
export function withMore(error: unknown, more: string): unknown {
  if (!(error instanceof Refused) || error.denial.code !== 'APPLY_REFUSED') return error
  return new Refused({ ...error.denial, reason: error.denial.reason + more })
}

/** Problems in the files of a candidate, and the same as operators read them. */
export function refusedFor(problems: readonly Problem[], text: string): Refused {
  const reason = `The files have ${counted(problems.length, 'problem')}. The gateway keeps its current configuration.`
  return new Refused({ code: 'APPLY_REFUSED', reason, problems, text })
}

/** The message of an error. */
export const reasonOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(/^✗ /, '')

/** The parts of the machine that a candidate from the network would reach, and the files that serve do not. */
export function reachProblems(
  { settings, includes, fields, files: [main = ''] }: Loaded,
  serving: Loaded,
): readonly Problem[] {
  const at = (field: string): Span => fields.get(field) ?? { file: main, line: 1, column: 1, length: 1 }
  const variables = without(settings.server.variables, serving.settings.server.variables)
  const patterns = without(includes, serving.includes).filter(leadsOut)
  return [
    ...variables.map(
      (name): Problem => ({
        ...at('server.variables'),
        rule: 'forbidden-read',
        severity: 'error',
        message: `files that are applied may not add \`${name}\` to \`server.variables\``,
        hint: 'add it on the disk of the gateway, and run svcctl reload there',
      }),
    ),
    // An include would show the names of the files it finds there.
    ...patterns.map(
      (pattern): Problem => ({
        ...at('include'),
        rule: 'forbidden-read',
        severity: 'error',
        message: `files that are applied may not include \`${pattern}\`, outside the directory of the main file`,
        hint: "include files beside or below the main file, or change the files on the gateway's disk",
      }),
    ),
  ]
}

const without = (all: readonly string[], known: readonly string[]): readonly string[] =>
  all.filter(each => !known.includes(each))

const leadsOut = (pattern: string): boolean => isAbsolute(pattern) || normalize(pattern).split(sep)[0] === '..'

/** The places by which names of files are judged. */
export interface Surroundings {
  /** The main file. Absolute. */
  readonly main: string
  readonly directory: string
  /** Names of the files that serve, relative to the directory. */
  readonly serving: ReadonlySet<string>
  /** Absolute directories of the gateway's own files. */
  readonly own: readonly string[]
}

export function surroundings(main: string, { texts, settings }: Loaded): Surroundings {
  const directory = dirname(main)
  const { server, store, decisions } = settings
  const own = [
    ...[server.stateDir, join(server.stateDir, 'revisions'), decisions.directory],
    ...(store.kind === 'embedded' ? [store.path] : []),
  ]
  // A directory in which the configuration itself lies does not belong to the gateway alone.
  const alone = own.filter(each => !isIn(directory, each))
  return { main, directory, serving: new Set(texts.map(({ file }) => file)), own: alone }
}

const isIn = (path: string, directory: string): boolean =>
  path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep)

/** The fault in the names of a candidate's files; undefined where each may be written. */
export function namesFault(files: readonly FileText[], place: Surroundings): string | undefined {
  const main = basename(place.main)
  const names = files.map(({ file }) => file)
  if (names[0] !== main) return `the first file must be ${main}, the main file of this gateway`
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) return `${shown(twice)} occurs twice`
  return names.map(name => nameFault(name, place)).find(fault => fault !== undefined)
}

/** A name that serves already may lie anywhere; another one only below the main file, and not where it could be hidden. */
function nameFault(name: string, { directory, serving, own }: Surroundings): string | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be in a name.
  if (name === '' || name.length > 1000 || /[\u0000-\u001f\u007f]/.test(name))
    return `${shown(name)} is not a file name`
  const path = resolve(directory, name)
  if (isAbsolute(name) || relative(directory, path) !== name || name.endsWith(sep))
    return `${shown(name)} is not a plain path relative to the main file`
  if (serving.has(name)) return undefined
  const parts = name.split(sep)
  if (parts.includes('..')) return `${shown(name)} is outside the directory of the main file`
  if (parts.some(part => part.startsWith('.'))) return `${shown(name)} is hidden`
  if (parts.some(part => Buffer.byteLength(part) > 200)) return `${shown(name)} is too long`
  if (own.some(each => isIn(path, each))) return `${shown(name)} is in the directory of the gateway's own files`
  return undefined
}

/** A name as it may be shown: quoted, without control characters. */
const shown = (name: string): string => JSON.stringify(name.slice(0, 200))
