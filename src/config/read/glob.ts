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
  const wanted = (entry: DiskEntry) =>
    // As in a shell, a star does not find hidden files.
    fits(step, entry.name) &&
    (!entry.name.startsWith('.') || step.startsWith('.')) &&
    (last ? !entry.isDirectory() : true)
  return list(directory, disk)
    .filter(wanted)
    .map(entry => join(directory, entry.name))
}

/**
 * Whether a pattern matches a name. In the worst case it takes the product of their lengths; a regular expression made
 * of a pattern could take far longer.
 */
function fits(pattern: string, name: string): boolean {
  let [at, star, from] = [0, -1, 0]
  for (let n = 0; n < name.length; ) {
    if (pattern[at] === '*') {
      star = at++
      from = n
    } else if (pattern[at] === '?' || (at < pattern.length && pattern[at] === name[n])) {
      at++
      n++
    } else if (star >= 0) {
      // The last star takes one character more.
      at = star + 1
      n = ++from
    } else return false
  }
  while (pattern[at] === '*') at++
  return at === pattern.length
}

function list(directory: string, disk: Disk): readonly DiskEntry[] {
  try {
    return disk.list(directory)
  } catch {
    // Not a directory, or not readable: nothing matches in it.
    return []
  }
}
