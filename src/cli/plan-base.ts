import { statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { Load } from '../config/load.ts'
import { checkOut, type Tree } from './git-tree.ts'
import { linkSecretFiles } from './plan-secrets.ts'
import { loadWithStandIns } from './stand-ins.ts'

/** A configuration that another one is compared with. */
export interface Base {
  readonly load: Load
  /** Of its main file. Absolute. */
  readonly directory: string
  /** Removes what was made for it. */
  readonly close: () => void
}

/** Reads what `--against` names: a file, a directory with a file of the candidate's name, or a git revision. */
export function openBase(against: string, config: string, cwd: string): Base {
  const path = resolve(cwd, against)
  const stat = statSync(path, { throwIfNoEntry: false })
  if (!stat) return openTree(checkOut(against, resolve(cwd, config)))
  const file = stat.isDirectory() ? join(path, basename(config)) : path
  return { load: loadWithStandIns(file, process.env, cwd), directory: dirname(file), close: () => {} }
}

/** Files of secrets are no part of a repository: those of its working tree stand for them. */
function openTree({ root, file, workTree, remove }: Tree): Base {
  try {
    const load = () => loadWithStandIns(file, process.env, root)
    const first = load()
    const again = linkSecretFiles(first, { root, file, workTree })
    return { load: again ? load() : first, directory: dirname(file), close: remove }
  } catch (error) {
    remove()
    throw error
  }
}
