import { dirname, join, resolve } from 'node:path'
import type { Problem } from '../../config/problem.ts'
import { glob, lookedAt } from '../../config/read/glob.ts'
import type { Loaded } from '../../config/settings.ts'
import { readTests, type Tests } from '../../simulate/test-file.ts'

/** Files of tests as they were read, or all that is wrong with them. */
export interface ReadFiles {
  readonly tests: readonly Tests[]
  readonly problems: readonly Problem[]
  /** The text of each, for code frames. */
  readonly sources: ReadonlyMap<string, string>
}

/** The default test files: next to the configuration. */
export const patternBeside = (config: string, cwd: string): string =>
  join(dirname(resolve(cwd, config)), 'policies/tests/*.test.yaml')

/** The files of tests beside a configuration, and the paths on which it depends which there are. */
export function testsBeside(
  config: string,
  cwd: string,
): { readonly files: readonly string[]; readonly searched: readonly string[] } {
  const pattern = patternBeside(config, cwd)
  return { files: glob(pattern, cwd), searched: lookedAt(pattern, cwd) }
}

const byPlace = (a: Problem, b: Problem): number =>
  a.file.localeCompare(b.file) || a.line - b.line || a.column - b.column

export function readAll(files: readonly string[], cwd: string, loaded: Pick<Loaded, 'config' | 'settings'>): ReadFiles {
  const problems: Problem[] = []
  const read = files.map(path => readTests(path, cwd, loaded, problem => problems.push(problem)))
  return {
    tests: read.flatMap(({ tests }): Tests[] => (tests ? [tests] : [])),
    problems: problems.sort(byPlace),
    sources: new Map(read.flatMap(({ source }) => (source ? [[source.file, source.text] as const] : []))),
  }
}
