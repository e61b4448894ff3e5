import { existsSync, mkdirSync, statSync, symlinkSync } from 'node:fs'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { type Load, load } from '../../config/load.ts'
import type { AdminEndpoint } from '../../operator/operator-api.ts'
import { loadWithStandIns } from '../../operator/stand-ins.ts'
import { checkOut, type Tree } from './git-tree.ts'

/** A configuration that another one is compared with. */
export interface Base {
  /** As operators know it. */
  readonly name: string
  readonly load: Load
  /** Of its main file. Absolute. */
  readonly directory: string
  /** The gateway that serves it. */
  readonly served?: Served
  /** Removes what was made for it. */
  readonly close: () => void
}

/** What a running gateway knows beside its files. */
export interface Served {
  readonly endpoint: AdminEndpoint
  /** Which gateway it is, and since when it serves them. */
  readonly title: string
  /** Where its decision log is, on its own machine; undefined where it keeps none. */
  readonly log: string | undefined
}

/** Reads what `--against` names: a file, a directory with a file of the candidate's name, or a git revision. */
export function openBase(against: string, config: string, cwd: string): Base {
  const path = resolve(cwd, against)
  const stat = statSync(path, { throwIfNoEntry: false })
  if (!stat) return openTree(against, checkOut(against, resolve(cwd, config)))
  const file = stat.isDirectory() ? join(path, basename(config)) : path
  const read = loadWithStandIns(file, process.env, cwd)
  return { name: against, load: read, directory: dirname(file), close: () => {} }
}

/** Files of secrets are no part of a repository: those of its working tree stand for them. */
function openTree(name: string, { root, file, workTree, remove }: Tree): Base {
  try {
    linkSecretFiles(load(file, process.env, root), { root, file, workTree })
    return { name, load: loadWithStandIns(file, process.env, root), directory: dirname(file), close: remove }
  } catch (error) {
    remove()
    throw error
  }
}

/** Links files of secrets, which a revision lacks, to those of its working tree. What that lacks too has a stand-in elsewhere. */
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
