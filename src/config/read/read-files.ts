import type { Disk } from './disk.ts'
import { readIncludes } from './include.ts'
import type { Env } from './interpolate.ts'
import { parse } from './parse.ts'
import type { Read } from './reads.ts'
import { type Report, readSource, type Source } from './source.ts'
import type { MapNode } from './tree.ts'

/** Where a main file is, and what it is read by. */
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
  /** What they have from the environment, or from files of secrets. */
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
