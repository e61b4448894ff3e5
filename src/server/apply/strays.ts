import { relative } from 'node:path'
import { type Disk, machineDisk, textDisk } from '../../config/read/disk.ts'
import { glob } from '../../config/read/glob.ts'
import type { FileText } from '../../config/settings.ts'

/** Files that the disk has and a candidate has not, which its includes would take if its files lay in the directory. */
export function strays(files: readonly FileText[], includes: readonly string[], directory: string): readonly string[] {
  const texts = textDisk(files, directory)
  // Thousands of patterns look into the same directory.
  const listed = new Map<string, ReturnType<Disk['list']>>()
  const both: Disk = {
    ...machineDisk,
    list: path => {
      const entries = listed.get(path) ?? [...entriesOf(texts, path), ...entriesOf(machineDisk, path)]
      listed.set(path, entries)
      return entries
    },
  }
  const known = new Set(files.map(({ file }) => file))
  const found = includes.flatMap(pattern => glob(pattern, directory, both)).map(path => relative(directory, path))
  return [...new Set(found)].filter(file => !known.has(file))
}

function entriesOf(disk: Disk, path: string): ReturnType<Disk['list']> {
  try {
    return disk.list(path)
  } catch {
    return []
  }
}
