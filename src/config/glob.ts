import { type Dirent, readdirSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'

/** The files a pattern with `*` and `?` names, sorted. A pattern without them names its file, which need not exist. */
export const glob = (pattern: string, directory: string): readonly string[] => walk(pattern, directory).found

/** The paths on which it depends what a pattern names: its files, and every directory that was searched for them. */
export function lookedAt(pattern: string, directory: string): readonly string[] {
  const { found, searched } = walk(pattern, directory)
  return [...searched, ...found]
}

function walk(pattern: string, directory: string): { readonly found: string[]; readonly searched: readonly string[] } {
  const path = resolve(directory, pattern)
  if (!/[*?]/.test(pattern)) return { found: [path], searched: [] }
  const [root = '', ...steps] = path.split(sep)
  let found = [root + sep]
  const searched: string[] = []
  for (const [index, step] of steps.entries()) {
    const last = index === steps.length - 1
    const isPattern = /[*?]/.test(step)
    if (isPattern) searched.push(...found)
    found = found.flatMap(base => (isPattern ? matches(base, step, last) : [join(base, step)]))
  }
  return { found: found.sort(), searched }
}

function matches(directory: string, step: string, last: boolean): readonly string[] {
  const pattern = new RegExp(
    `^${step
      .replace(/[\\^$.|+()[\]{}]/g, '\\$&')
      .replace(/\*+/g, '.*')
      .replace(/\?/g, '.')}$`,
  )
  const wanted = (entry: Dirent) =>
    // As in a shell, a star does not find hidden files.
    pattern.test(entry.name) &&
    (!entry.name.startsWith('.') || step.startsWith('.')) &&
    (last ? !entry.isDirectory() : true)
  return list(directory)
    .filter(wanted)
    .map(entry => join(directory, entry.name))
}

function list(directory: string): readonly Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true })
  } catch {
    // Not a directory, or not readable: nothing matches in it.
    return []
  }
}
