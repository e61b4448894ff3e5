import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { renderJson, renderText } from '../../config/format/problem-text.ts'
import type { Load } from '../../config/load.ts'
import type { Problem } from '../../config/problem.ts'
import { loadWithStandIns } from '../../config/stand-ins.ts'
import { MOST_OWN_BYTES, readBounded } from '../../server/bounded-file.ts'
import { CommandFailed, exitCodes } from '../../server/failure.ts'
import { lookOf, usesColour } from '../../server/log/terminal-text.ts'
import { PathWatch } from '../../server/path-watch.ts'
import { run } from '../../simulate/run-tests.ts'
import type { Tests } from '../../simulate/test-file.ts'
import { writeOut } from '../kit/terminal.ts'
import { patternBeside, readAll, testsBeside } from './files.ts'
import type { TestOptions } from './test.ts'
import { type Counts, countsOf, json, text } from './text.ts'

/** Runs the tests once, or whenever something changed. */
export async function runTests(files: readonly string[], options: TestOptions): Promise<void> {
  const named = files.map(file => resolve(process.cwd(), file))
  const missing = named.findIndex(path => !existsSync(path))
  if (missing >= 0) throw new CommandFailed(`✗ there is no file ${files[missing]}`, exitCodes.usage)
  if (options.watch) return watchTests(() => runOnce(named, options))
  const { printed, exitCode } = await runOnce(named, options)
  await writeOut([printed])
  process.exitCode = exitCode
}

/** Runs files of tests, or those beside the configuration where none is named. */
export async function runOnce(named: readonly string[], options: TestOptions): Promise<Outcome> {
  const cwd = process.cwd()
  const result = loadWithStandIns(options.config, process.env, cwd)
  const beside = testsBeside(options.config, cwd)
  const found = named.length > 0 ? named : beside.files
  const paths = [...result.paths, ...(named.length > 0 ? named : beside.searched)]
  const bad = (printed: string, exitCode: number = exitCodes.bad): Outcome => ({ printed, exitCode, paths })
  if (!result.ok) return bad(problemsText(result.problems, result.sources, options))
  if (found.length === 0) {
    return bad(`✗ no tests found: nothing matches ${patternBeside(options.config, cwd)}\n`, exitCodes.usage)
  }
  const read = readAll(found, cwd, result.loaded)
  if (read.problems.length > 0) return bad(problemsText(read.problems, read.sources, options))
  return outcomeOf(result, read.tests, { ...options, named: named.length > 0 }, paths)
}

async function outcomeOf(
  { loaded }: Extract<Load, { ok: true }>,
  tests: readonly Tests[],
  { named, ...options }: TestOptions & { readonly named: boolean },
  paths: readonly string[],
): Promise<Outcome> {
  const wanted = options.test?.toLowerCase() ?? ''
  const ran = await run(loaded, tests, name => name.toLowerCase().includes(wanted))
  const results = ran.files.flatMap(each => each.results)
  if (results.length === 0) {
    return { printed: `✗ no test has \`${options.test}\` in its name\n`, exitCode: exitCodes.usage, paths }
  }
  const failed = results.some(({ mismatches }) => mismatches.length > 0)
  const withCoverage = options.coverage === true
  const printed = options.json
    ? json(ran, withCoverage)
    : text(ran, { withCoverage, named, colour: usesColour(process.stdout) })
  return { printed, exitCode: failed ? exitCodes.bad : exitCodes.fine, paths, counts: countsOf(ran.files) }
}

const problemsText = (problems: readonly Problem[], sources: Load['sources'], { json }: TestOptions): string =>
  json ? renderJson(problems) : renderText(problems, sources, lookOf(process.stdout))

/** Runs the tests and prints their outcome, again after each change of a file they depend on, until Ctrl-C or SIGTERM. */
async function watchTests(runOnce: () => Promise<Outcome>): Promise<void> {
  let seen = ''
  let running: Promise<void> | undefined
  const look = () => {
    running = (running ?? Promise.resolve()).then(async () => {
      const { printed, exitCode, paths } = await runOnce()
      watch.follow(paths)
      process.exitCode = exitCode
      const now = textsOf(paths)
      if (now === seen) return
      seen = now
      process.stdout.write(`${printed}${WAITING}\n`)
    })
    return running
  }
  const watch = new PathWatch(look, message => console.error(`▲ ${message}`))
  await look()
  await stopped()
}

/** The output of one run of the tests. */
interface Outcome {
  readonly printed: string
  readonly exitCode: number
  /** Paths that may change the outcome. */
  readonly paths: readonly string[]
  /** The counts of tests that could be run. */
  readonly counts?: Counts
}

const WAITING = '\nwaiting for changes; Ctrl-C ends'

/** A file that goes away changes as much as one that is written. */
const textsOf = (paths: readonly string[]): string => JSON.stringify(paths.map(path => [path, textOf(path)]))

function textOf(path: string): string | null {
  try {
    return readBounded(path, MOST_OWN_BYTES)
  } catch {
    // Missing, a directory, or larger than allowed.
    return null
  }
}

/** Until Ctrl-C or SIGTERM; what watches does not keep the process. */
function stopped(): Promise<void> {
  return new Promise(resolve => {
    const stay = setInterval(() => {}, 60_000)
    const leave = () => {
      clearInterval(stay)
      resolve()
    }
    process.once('SIGINT', leave).once('SIGTERM', leave)
  })
}
