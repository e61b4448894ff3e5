import { existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import type { Load } from '../../config/load.ts'
import type { Tree } from './git-tree.ts'

/** Links files of secrets, which a revision lacks, to those of its working tree. What that lacks too has a stand-in elsewhere. */
export function linkSecretFiles(load: Load, { root, file, workTree }: Omit<Tree, 'remove'>): void {
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
