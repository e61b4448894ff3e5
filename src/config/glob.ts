import { type Dirent, readdirSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'

/** The files a pattern with `*` and `?` names, sorted. A pattern without them names its file, which need not exist. */
export function glob(pattern: string, directory: string): readonly string[] {
  if (!/[*?]/.test(pattern)) return [resolve(directory, pattern)]
  const path = resolve(directory, pattern)
  const [root = '', ...steps] = path.split(sep)
  let found = [root + sep]
  for (const [index, step] of steps.entries()) {
    const last = index === steps.length - 1
    found = found.flatMap(base => (/[*?]/.test(step) ? matches(base, step, last) : [join(base, step)]))
  }
  return found.sort()
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
