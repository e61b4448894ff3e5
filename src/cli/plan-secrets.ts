import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import type { Load } from '../config/load.ts'
import type { Tree } from './git-tree.ts'
import { STAND_IN } from './stand-ins.ts'

/** Puts files of secrets that a revision lacks where it looks for them, by links or stand-ins. Whether there were any. */
export function linkSecretFiles(load: Load, { root, file, workTree }: Omit<Tree, 'remove'>): boolean {
  if (load.ok) return false
  const missing = load.problems.filter(({ rule }) => rule === 'no-secret-file')
  const named = missing.flatMap(problem => {
    const line = load.sources.get(problem.file)?.split('\n')[problem.line - 1] ?? ''
    return [...line.matchAll(/file:([^\s"',}]+)/g)].map(([, name = '']) => resolve(dirname(file), name))
  })
  const inside = [...new Set(named)].filter(path => relative(root, path).split(sep)[0] !== '..' && !existsSync(path))
  for (const path of inside) {
    const own = join(workTree, relative(root, path))
    mkdirSync(dirname(path), { recursive: true })
    if (existsSync(own)) symlinkSync(own, path)
    else writeFileSync(path, STAND_IN)
  }
  return inside.length > 0
}
