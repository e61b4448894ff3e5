import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import type { Side } from '../../config/diff/changes.ts'
import { renderGithub, renderJson, renderText, type Sources } from '../../config/format/problem-text.ts'
import { type Load, load } from '../../config/load.ts'
import type { Problem } from '../../config/problem.ts'
import { textDisk } from '../../config/read/disk.ts'
import type { FileText } from '../../config/settings.ts'
import { lacking, loadWithStandIns } from '../../config/stand-ins.ts'
import type { AdminEndpoint } from '../../operator/api.ts'
import { servedConfig } from '../../operator/gateway-calls.ts'
import { CommandFailed, exitCodes } from '../../server/failure.ts'
import { lookOf, withoutFraction } from '../../server/log/terminal-text.ts'
import type { ServedProfiles } from '../../wire/admin/pool-facts.ts'
import type { ServedConfig } from '../../wire/admin/revision.ts'
import { oneLine } from '../../wire/printable.ts'
import { writeOut } from '../kit/terminal.ts'
import { comment, fence } from './markdown-comment.ts'

/** A configuration that another one is compared with. */
export interface Base {
  /** As operators know it. */
  readonly name: string
  readonly load: Load
  /** The directory of its main file. Absolute. */
  readonly directory: string
  /** The gateway that serves it. */
  readonly served?: Served
  /** Removes what was made for it. */
  readonly close: () => void
}

/** A running gateway, beside its files. */
export interface Served {
  readonly endpoint: AdminEndpoint
  /** Which gateway it is, and since when it serves them. */
  readonly title: string
  /** Where its decision log is, on its own machine; undefined where it keeps none. */
  readonly log: string | undefined
  /** The facts by which it speaks to its pools; older gateways do not report them. */
  readonly profiles: ServedProfiles | undefined
}

/** A git revision that does not have the candidate's main file: all that the candidate says is new. */
export interface NoBase {
  /** As operators know it. */
  readonly name: string
  /** The main file, from the root of the repository on. */
  readonly lacks: string
}

/** Reads what `--against` names: a file, a directory with a file of the candidate's name, or a git revision. */
export function openBase(against: string, config: string, cwd: string): Base | NoBase {
  const path = resolve(cwd, against)
  const stat = statSync(path, { throwIfNoEntry: false })
  if (!stat) {
    const checkedOut = checkOut(against, resolve(cwd, config))
    return 'lacks' in checkedOut ? { name: against, ...checkedOut } : openTree(against, checkedOut)
  }
  const file = stat.isDirectory() ? join(path, basename(config)) : path
  const read = loadWithStandIns(file, process.env, cwd)
  return { name: against, load: read, directory: dirname(file), close: () => {} }
}

/** A repository has no files of secrets: those of its working tree are linked in their place. */
function openTree(name: string, { root, file, workTree, remove }: Tree): Base {
  try {
    linkSecretFiles(load(file, process.env, root), { root, file, workTree })
    return { name, load: loadWithStandIns(file, process.env, root), directory: dirname(file), close: remove }
  } catch (error) {
    remove()
    throw error
  }
}

/**
 * Links secret files, which a revision lacks, to those of its working tree. Secrets that are missing there too get a stand-in
 * elsewhere.
 */
function linkSecretFiles(load: Load, { root, file, workTree }: Omit<Tree, 'remove'>): void {
  if (load.ok) return
  const missing = load.problems.filter(({ rule }) => rule === 'no-secret-file')
  const named = missing.flatMap(problem => {
    const line = load.sources.get(problem.file)?.split('\n')[problem.line - 1] ?? ''
    return [...line.matchAll(/file:([^\s"',}]+)/g)].map(([, name = '']) => resolve(dirname(file), name))
  })
  const inside = [...new Set(named)].filter(path => relative(root, path).split(sep)[0] !== '..' && !existsSync(path))
  for (const path of inside) {
    const own = join(workTree, relative(root, path))
    if (!existsSync(own)) continue
    mkdirSync(dirname(path), { recursive: true })
    symlinkSync(own, path)
  }
}

/** How to print problems and changes. */
export type Format = 'text' | 'json' | 'github' | 'markdown'

/** Reads the files of a candidate. Where they are invalid, prints their problems, sets exit code 1 and returns undefined. */
export async function candidateIn(config: string, format: Format): Promise<Side | undefined> {
  const cwd = process.cwd()
  const load = loadWithStandIns(config, process.env, cwd)
  if (!load.ok) {
    process.exitCode = exitCodes.bad
    await writeOut([problemsText(load, format)])
    return undefined
  }
  const unknown = lacking(config, process.env, cwd)
  if (unknown.length > 0)
    console.error(`▲ not compared, because this shell does not have the values: ${unknown.join(', ')}`)
  return { loaded: load.loaded, directory: dirname(resolve(cwd, config)) }
}

function problemsText({ problems, sources }: Extract<Load, { ok: false }>, format: Format): string {
  if (format === 'json') return renderJson(problems)
  if (format === 'github') return renderGithub(problems)
  if (format === 'markdown') return problemsMarkdown(problems, sources)
  return renderText(problems, sources, lookOf(process.stdout))
}

const problemsMarkdown = (problems: readonly Problem[], sources: Sources): string =>
  comment([
    '**The configuration is not valid**',
    fence('text', renderText(problems, sources).trimEnd().split('\n'), 'svcctl validate'),
  ])

/** The files that a running gateway serves. */
export interface ServedBase extends Base {
  readonly endpoint: AdminEndpoint
  readonly revision: string
  readonly number: number
}

/** Reads the files that a gateway serves, as if they lay in this directory. Rejects with CommandFailed. */
export async function servedBase(endpoint: AdminEndpoint, directory: string): Promise<ServedBase> {
  const served = await servedConfig(endpoint)
  const { revision, number, files, decisions, profiles } = served
  return {
    ...{ endpoint, revision, number, directory },
    name: `revision ${revision}`,
    load: loadTexts(files, directory),
    served: {
      ...{ endpoint, profiles },
      title: titleOf(endpoint, served),
      log: decisions.log ? decisions.directory : undefined,
    },
    close: () => {},
  }
}

const titleOf = ({ admin }: AdminEndpoint, { revision, number, how, by, since }: ServedConfig): string => {
  const who = how === by ? '' : ` by ${oneLine(by)}`
  return `${admin} serves revision ${revision}, number ${number}: ${CAME[how]}${who} at ${withoutFraction(since)}`
}

const CAME: Readonly<Record<ServedConfig['how'], string>> = {
  start: 'loaded',
  reload: 'reloaded',
  watch: 'reloaded as its files changed',
  apply: 'applied',
  rollback: 'rolled back',
}

/** Loads texts as if they lay in this directory, so that their files of secrets are the same. */
export function loadTexts(files: readonly FileText[], directory: string): Load {
  const main = join(directory, files[0]?.file ?? '')
  return loadWithStandIns(main, process.env, process.cwd(), textDisk(files, directory))
}

/** The files of a revision in a directory of their own, to be removed. */
interface Tree {
  readonly root: string
  /** The main configuration file in there. */
  readonly file: string
  /** The root of the repository they come from. */
  readonly workTree: string
  readonly remove: () => void
}

/** Checks out a revision of the repository in which `config` lies, leaving that as it is. Throws CommandFailed. */
function checkOut(revision: string, config: string): Tree | Pick<NoBase, 'lacks'> {
  const directory = dirname(config)
  const top = git(directory, ['rev-parse', '--show-toplevel', '--show-prefix'])
  const commit = revision.startsWith('-') ? undefined : commitOf(revision, directory)
  if (top === undefined || commit === undefined) {
    const isNone = top === undefined ? whyNoRepository(directory) : 'nor a git revision'
    throw new CommandFailed(`✗ ${revision} is no file or directory, ${isNone}`, exitCodes.usage)
  }
  const [workTree = '', prefix = ''] = top.split('\n')
  const made = mkdtempSync(join(tmpdir(), 'svcctl-plan-'))
  const remove = () => rmSync(made, { recursive: true, force: true })
  const root = join(made, 'tree')
  const file = join(root, prefix, basename(config))
  // A separate index keeps the repository's own unchanged.
  const env = { GIT_INDEX_FILE: join(made, 'index') }
  const isRead =
    git(workTree, ['read-tree', commit], env) !== undefined &&
    git(workTree, ['checkout-index', '--all', `--prefix=${root}/`], env) !== undefined
  if (isRead && existsSync(file)) return { root, file, workTree, remove }
  remove()
  if (isRead) return { lacks: join(prefix, basename(config)) }
  throw new CommandFailed(`✗ git cannot export the files of ${revision}`, exitCodes.usage)
}

const commitOf = (revision: string, directory: string): string | undefined =>
  git(directory, ['rev-parse', '--verify', '--quiet', `${revision}^{commit}`])?.trim()

/** git refuses a repository that belongs to another user, as one does that a container runs on, and says how to trust it. */
function whyNoRepository(directory: string): string {
  const { stderr } = spawnSync('git', ['-C', directory, 'rev-parse', '--show-toplevel'], { encoding: 'utf8' })
  return stderr?.includes('dubious ownership')
    ? `and git cannot read the repository of the configuration:\n${stderr.trim().replace(/^/gm, '  ')}`
    : 'and the configuration is not in a git repository'
}

/** The output of git; undefined where it fails, or is not there. */
function git(directory: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): string | undefined {
  const { status, stdout } = spawnSync('git', ['-C', directory, ...args], {
    encoding: 'utf8',
    env: { ...process.env, ...env },
  })
  return status === 0 ? stdout : undefined
}
