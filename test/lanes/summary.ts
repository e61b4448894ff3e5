import { appendFileSync } from 'node:fs'
import { relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import type { UserConsoleLog } from 'vitest'
import type { Reporter, SerializedError, TestCase, TestModule, TestSuite, Vitest } from 'vitest/node'

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

function failuresIn(module: TestModule): string[] {
  const file = relative(module.project.config.root, module.moduleId)
  const repeat = (name: string, seed: string | undefined) =>
    `    ${seed === undefined ? '' : `SEED=${seed} `}npx vitest run --project ${module.project.name} ${file}${name && ` -t ${quoted(name)}`}`
  const own = (task: TestModule | TestSuite) =>
    task.errors().map(error => `${file}\n    ${firstLine(error)}\n${repeat('', seedIn(error))}`)
  const tests = [...module.children.allTests('failed')].map(test => {
    const [error] = errorsOf(test)
    return `${file} › ${test.fullName}\n    ${firstLine(error)}\n${repeat(test.fullName.replaceAll(' > ', ' '), seedIn(error))}`
  })
  return [...own(module), ...[...module.children.allSuites()].flatMap(own), ...tests]
}

function errorsOf(test: TestCase): readonly SerializedError[] {
  return test.result().errors ?? []
}

/** Of fast-check's report: `{ seed: -1819918769, path: "…", endOnFailure: true }`. */
const seedIn = (error: SerializedError | undefined): string | undefined =>
  /\bseed: (-?\d+)/.exec(error?.message ?? '')?.[1]

const LINE_MAX = 160
const firstLine = (error: SerializedError | undefined): string =>
  stripVTControlCharacters(error?.message ?? 'no error was given')
    .split('\n')[0]
    ?.slice(0, LINE_MAX) ?? ''

/** For a shell, and for the regular expression that `-t` takes. */
const quoted = (name: string): string => `'${name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll("'", `'\\''`)}'`
