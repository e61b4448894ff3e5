import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path'
import type { MayRead } from '../model/reads.ts'
import type { Span } from '../model/tree.ts'
import type { Report } from '../problem.ts'
import type { FileText } from '../settings.ts'
import type { SecretPlace } from './secrets.ts'

/** The disk from which the files of a configuration are read. Paths are absolute. */
export interface Disk {
  /** Throws as `statSync` does. */
  stat(path: string): { isFile(): boolean; readonly size: number }
  /** Throws as `readFileSync` does. */
  read(path: string): Uint8Array
  /** The entries of a directory, hidden ones too. Throws where the path is no directory, or cannot be read. */
  list(directory: string): readonly DiskEntry[]
  /** Makes a stand-in for a file of a secret that cannot be read; without it such a file is a Problem. */
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

/** A file as it was read. */
export interface Source {
  /** As the operator would type it. */
  readonly file: string
  readonly path: string
  readonly text: string
}

const MOST_BYTES = 1_000_000

/** Reads a file of at most 1 MB of UTF-8. `from` is the place that names it, for the Problem when it cannot be read. */
export function readSource(
  path: string,
  cwd: string,
  from: Span | undefined,
  report: Report,
  disk: Disk = machineDisk,
): Source | undefined {
  const file = nameOf(path, cwd)
  const refuse = (rule: string, message: string, hint: string) => {
    const at = from ?? { file, line: 1, column: 1, length: 1 }
    report({ ...at, rule, severity: 'error', message, hint })
    return undefined
  }
  try {
    const stat = disk.stat(path)
    if (!stat.isFile()) return refuse('unreadable-file', `\`${file}\` is not a file`, 'name a YAML file')
    if (stat.size > MOST_BYTES)
      return refuse('file-too-large', `\`${file}\` is larger than 1 MB`, 'split it with `include`')
    // Decoding also drops a byte order mark, which would shift the columns of the first line.
    return { file, path, text: new TextDecoder('utf-8', { fatal: true }).decode(disk.read(path)) }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (code === 'ENOENT')
      return refuse(
        'no-file',
        `there is no file \`${file}\``,
        from ? 'correct the path, or create the file' : 'name another one with --config',
      )
    if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA')
      return refuse('not-utf8', `\`${file}\` is not UTF-8`, 'save it as UTF-8')
    return refuse('unreadable-file', `\`${file}\` cannot be read: ${code || String(error)}`, 'check its permissions')
  }
}

/** A path as the operator would type it: relative when it is below the working directory. */
function nameOf(path: string, cwd: string): string {
  const name = relative(cwd, resolve(cwd, path))
  return name === '' || name.split(sep)[0] === '..' || isAbsolute(name) ? path : name
}
