import type { Read } from '../model/reads.ts'
import { isText, type MapNode, nodeAt, textsOf } from '../model/tree.ts'
import type { Env } from '../model/variables.ts'
import type { Report } from '../problem.ts'
import { parse } from './compose.ts'
import { type Disk, readSource, type Source } from './disk.ts'
import { glob } from './glob.ts'

/** The location of a main file, and its reader. */
export interface Origin {
  /** Absolute. */
  readonly path: string
  /** The one it lies in, which includes are relative to. */
  readonly directory: string
  readonly cwd: string
  readonly disk: Disk
  readonly env: Env
}

export interface Files {
  /** The main file first. */
  readonly sources: readonly Source[]
  /** Undefined for a file that could not be read or parsed. */
  readonly roots: readonly (MapNode | undefined)[]
  /** Their references to the environment, or to files of secrets. */
  readonly reads: readonly Read[]
}

/** Reads and parses a main file and what it includes; nothing is checked that is in them. */
export function readFiles(place: Origin, report: Report): Files {
  const { path, cwd, env, disk } = place
  const main = readSource(path, cwd, undefined, report, disk)
  const reads: Read[] = []
  const tell = (read: Read) => reads.push(read)
  const root = main && parse(main, env, report, tell)
  if (!main || !root) return { sources: main ? [main] : [], roots: [undefined], reads }
  const included = readIncludes(main, root, place, report)
  return {
    sources: [main, ...included.filter(source => source !== undefined)],
    roots: [root, ...included.map(source => source && parse(source, env, report, tell))],
    reads,
  }
}

/** Reads the files that a main file includes, each once. An entry is undefined where a file could not be had. */
export function readIncludes(
  main: Source,
  root: MapNode,
  { directory, cwd, disk }: { readonly directory: string; readonly cwd: string; readonly disk?: Disk },
  report: Report,
): readonly (Source | undefined)[] {
  const node = nodeAt(root, ['include'])
  const seen = new Set([main.path])
  // An include that is not a list of texts may have meant any file.
  if (node && (node.is !== 'list' || !node.items.every(isText))) return [undefined]
  return textsOf(node).flatMap(({ value, written, span }) => {
    const found = value === '' ? [] : glob(value, directory, disk)
    if (found.length === 0) {
      const message = `no file matches \`${written}\``
      const hint = value.includes('**')
        ? '`**` has no meaning here; `*` matches within one directory'
        : `looked in ${directory}`
      report({ ...span, rule: 'include-nothing', severity: 'error', message, hint })
      return [undefined]
    }
    const fresh = found.filter(path => !seen.has(path))
    for (const path of fresh) seen.add(path)
    return fresh.map(path => readSource(path, cwd, span, report, disk))
  })
}
