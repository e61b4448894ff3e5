import { appendFileSync } from 'node:fs'
import { relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import type { UserConsoleLog } from 'vitest'
import type { Reporter, SerializedError, TestCase, TestModule, Vitest } from 'vitest/node'

/** Failures that fit into the last 40 lines of a run, at four lines each. */
const SHOWN = 8

/**
 * Ends a run with what a reader needs next: which programs were missing, and for each failure its reason, the seed of its property
 * and a command that repeats it. With FAILURES=<file> the failures are appended to that file too.
 */
export default class Summary implements Reporter {
  readonly #missing = new Set<string>()
  #vitest: Vitest | undefined

  onInit(vitest: Vitest): void {
    this.#vitest = vitest
  }

  /** Helpers such as `describeRedis` print `SKIPPED: <which tests>. Install it: <command>` where their program is missing. */
  onUserConsoleLog({ content }: UserConsoleLog): void {
    for (const [line] of content.matchAll(/^SKIPPED: .*$/gm)) this.#missing.add(line.slice('SKIPPED: '.length))
  }

  /** Says at once what failed: a run that is cancelled or hangs prints no summary. */
  onTestCaseResult(test: TestCase): void {
    if (test.result().state === 'failed') console.log(`FAILED ${failureOf(test)}`)
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const failures = [
      ...modules.flatMap(failuresIn),
      ...unhandled.map(error => `an unhandled error: ${firstLine(error)}`),
    ]
    const shown = failures.slice(0, SHOWN)
    if (failures.length > SHOWN) shown.push(`and ${failures.length - SHOWN} more failures`)
    const { FAILURES } = process.env
    if (FAILURES !== undefined && shown.length > 0) appendFileSync(FAILURES, `${shown.join('\n')}\n`)
    const skipped = modules.flatMap(module => [...module.children.allTests('skipped')]).length
    const lines = [...(shown.length > 0 ? ['Failures', ...shown] : [])]
    // A run by name skips all other tests.
    if (skipped > 0 && this.#vitest?.getGlobalTestNamePattern() === undefined)
      lines.push(`SKIPPED ${skipped} tests: ${[...this.#missing].join(' · ') || 'by their own condition'}`)
    if (lines.length > 0) console.log(`\n${lines.join('\n')}`)
  }
}

/** Failures of a file: its tests, and errors that kept the file or one of its hooks from running. */
function failuresIn(module: TestModule): string[] {
  const loaders = [module, ...module.children.allSuites()]
  return [
    ...loaders.flatMap(task => task.errors().map(error => describeFailure(module, '', error))),
    ...[...module.children.allTests('failed')].map(failureOf),
  ]
}

const failureOf = (test: TestCase): string => describeFailure(test.module, test.fullName, test.result().errors?.[0])

/** Where it failed, why, and the command that repeats it. */
function describeFailure({ project, moduleId }: TestModule, name: string, error: SerializedError | undefined): string {
  const file = relative(project.config.root, moduleId)
  const seed = seedIn(error)
  const command = `npx --no vitest run --project ${project.name} ${file}${name && ` -t ${quoted(name.replaceAll(' > ', ' '))}`}`
  return `${file}${name && ` › ${name}`}\n    ${firstLine(error)}\n    ${seed === undefined ? '' : `SEED=${seed} `}${command}`
}

/** The seed in fast-check's report: `{ seed: -1819918769, path: "…", endOnFailure: true }`. */
const seedIn = (error: SerializedError | undefined): string | undefined =>
  /\bseed: (-?\d+)/.exec(error?.message ?? '')?.[1]

const LINE_MAX = 160
const firstLine = (error: SerializedError | undefined): string =>
  stripVTControlCharacters(error?.message ?? 'no error was given')
    .split('\n')[0]
    ?.slice(0, LINE_MAX) ?? ''

/** For a shell, and for the regular expression that `-t` takes. */
const quoted = (name: string): string => `'${name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll("'", `'\\''`)}'`
