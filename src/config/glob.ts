import { join, resolve, sep } from 'node:path'
import { type Disk, type DiskEntry, machineDisk } from './disk.ts'

/** The files a pattern with `*` and `?` names, sorted. A pattern without them names its file, which need not exist. */
export const glob = (pattern: string, directory: string, disk: Disk = machineDisk): readonly string[] =>
  walk(pattern, directory, disk).found

/** The paths on which it depends what a pattern names: its files, and every directory that was searched for them. */
export function lookedAt(pattern: string, directory: string, disk: Disk = machineDisk): readonly string[] {
  const { found, searched } = walk(pattern, directory, disk)
  return [...searched, ...found]
}

interface Walk {
  readonly found: string[]
  readonly searched: readonly string[]
}

function walk(pattern: string, directory: string, disk: Disk): Walk {
  const path = resolve(directory, pattern)
  if (!/[*?]/.test(pattern)) return { found: [path], searched: [] }
  const [root = '', ...steps] = path.split(sep)
  let found = [root + sep]
  const searched: string[] = []
  for (const [index, step] of steps.entries()) {
    const last = index === steps.length - 1
    const isPattern = /[*?]/.test(step)
    if (isPattern) searched.push(...found)
    found = found.flatMap(base => (isPattern ? matches(base, step, last, disk) : [join(base, step)]))
  }
  return { found: found.sort(), searched }
}

function matches(directory: string, step: string, last: boolean, disk: Disk): readonly string[] {
  const pattern = new RegExp(
    `^${step
      .replace(/[\\^$.|+()[\]{}]/g, '\\$&')
      .replace(/\*+/g, '.*')
      .replace(/\?/g, '.')}$`,
  )
  const wanted = (entry: DiskEntry) =>
    // As in a shell, a star does not find hidden files.
    pattern.test(entry.name) &&
    (!entry.name.startsWith('.') || step.startsWith('.')) &&
    (last ? !entry.isDirectory() : true)
  return list(directory, disk)
    .filter(wanted)
    .map(entry => join(directory, entry.name))
}

function list(directory: string, disk: Disk): readonly DiskEntry[] {
  try {
    return disk.list(directory)
  } catch {
    // Not a directory, or not readable: nothing matches in it.
    return []
  }
}
