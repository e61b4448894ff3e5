import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { FileText } from '../settings.ts'
import type { MayRead } from './reads.ts'
import type { SecretPlace } from './secrets.ts'

/** What the files of a configuration are read from. Paths are absolute. */
export interface Disk {
  /** Throws as `statSync` does. */
  stat(path: string): { isFile(): boolean; readonly size: number }
  /** Throws as `readFileSync` does. */
  read(path: string): Uint8Array
  /** What a directory holds, hidden entries too. Throws where it is none, or cannot be read. */
  list(directory: string): readonly DiskEntry[]
  /** What stands for a file of a secret that cannot be read; without it that is a Problem. */
  readonly standIn?: SecretPlace['standIn']
  /** Which variables and files of secrets its files may read; without it all of them. */
  readonly mayRead?: MayRead
}

export interface DiskEntry {
  readonly name: string
  isDirectory(): boolean
}

/** The files of this machine. */
export const machineDisk: Disk = {
  stat: path => statSync(path),
  read: path => readFileSync(path),
  list: directory => readdirSync(directory, { withFileTypes: true }),
}

/** Texts at the places where files would be, and nothing else. */
export function textDisk(files: readonly FileText[], directory: string): Disk {
  const texts = new Map(files.map(({ file, text }) => [resolve(directory, file), Buffer.from(text)]))
  const folders = new Map<string, Map<string, DiskEntry>>()
  for (const path of texts.keys()) hang(path, false, folders)
  const read = (path: string) => texts.get(path) ?? missing(path)
  return {
    stat: path => ({ isFile: () => true, size: read(path).length }),
    read,
    list: path => [...(folders.get(path)?.values() ?? missing(path))],
  }
}

/** Names a path in its directory, and that one in the one above. */
function hang(path: string, isDirectory: boolean, folders: Map<string, Map<string, DiskEntry>>): void {
  const above = dirname(path)
  if (above === path) return
  const entries = folders.get(above) ?? new Map<string, DiskEntry>()
  const name = path.slice(above.endsWith('/') ? above.length : above.length + 1)
  entries.set(name, { name, isDirectory: () => isDirectory })
  if (folders.has(above)) return
  folders.set(above, entries)
  hang(above, true, folders)
}

function missing(path: string): never {
  throw Object.assign(new Error(`there is no text for ${path}`), { code: 'ENOENT' })
}
