import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { CommandFailed, exitCodes } from '../../server/failure.ts'

/** The files of a revision in a directory of their own, to be removed. */
export interface Tree {
  readonly root: string
  /** The main configuration file in there. */
  readonly file: string
  /** The root of the repository they come from. */
  readonly workTree: string
  readonly remove: () => void
}

/** Checks out a revision of the repository in which `config` lies, leaving that as it is. Throws CommandFailed. */
export function checkOut(revision: string, config: string): Tree {
  const directory = dirname(config)
  const top = git(directory, ['rev-parse', '--show-toplevel', '--show-prefix'])
  const commit = revision.startsWith('-') ? undefined : commitOf(revision, directory)
  if (top === undefined || commit === undefined) {
    const isNone = top === undefined ? 'and the configuration lies in no git repository' : 'nor a git revision'
    throw new CommandFailed(`✗ ${revision} is no file or directory, ${isNone}`, exitCodes.usage)
  }
  const [workTree = '', prefix = ''] = top.split('\n')
  const made = mkdtempSync(join(tmpdir(), 'svcctl-plan-'))
  const remove = () => rmSync(made, { recursive: true, force: true })
  const root = join(made, 'tree')
  const file = join(root, prefix, basename(config))
  // It has its own index, so that the repository's index stays as it is.
  const env = { GIT_INDEX_FILE: join(made, 'index') }
  const isThere =
    git(workTree, ['read-tree', commit], env) !== undefined &&
    git(workTree, ['checkout-index', '--all', `--prefix=${root}/`], env) !== undefined &&
    existsSync(file)
  if (isThere) return { root, file, workTree, remove }
  remove()
  throw new CommandFailed(`✗ ${revision} has no file ${join(prefix, basename(config))}`, exitCodes.usage)
}

const commitOf = (revision: string, directory: string): string | undefined =>
  git(directory, ['rev-parse', '--verify', '--quiet', `${revision}^{commit}`])?.trim()

/** What git prints; undefined where it fails, or is not there. */
function git(directory: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): string | undefined {
  const { status, stdout } = spawnSync('git', ['-C', directory, ...args], {
    encoding: 'utf8',
    env: { ...process.env, ...env },
  })
  return status === 0 ? stdout : undefined
}
