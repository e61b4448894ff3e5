import { isAbsolute, relative, resolve, sep } from 'node:path'
import type { Report } from '../problem.ts'
import { type Disk, machineDisk } from './disk.ts'
import type { Span } from './tree.ts'

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
