import { relative } from 'node:path'
import { exitCodes } from '../../server/failure.ts'
import { writeOut } from '../stdout.ts'
import { patternBeside, testsBeside } from '../test/test-files.ts'
import { runOnce } from '../test/test-run.ts'
import type { Counts } from '../test/test-text.ts'

interface Tested {
  readonly config: string
  readonly json?: boolean
}

/**
 * Runs the tests beside a configuration, as `svcctl test` does. Undefined where one fails or cannot be run: that is told
 * on stdout, with exit code 1. To have no tests is no failure.
 */
export async function testsPass(options: Tested): Promise<Counts | undefined> {
  const cwd = process.cwd()
  if (testsBeside(options.config, cwd).files.length === 0) {
    console.error(`▲ there are no tests: no file is ${relative(cwd, patternBeside(options.config, cwd))}`)
    return { passed: 0, failed: 0 }
  }
  const { printed, exitCode, counts } = await runOnce([], options)
  if (exitCode === exitCodes.fine && counts) {
    if (!options.json) await writeOut([`${counts.passed} passed, 0 failed\n\n`])
    return counts
  }
  process.exitCode = exitCodes.bad
  await writeOut([printed])
  console.error('✗ nothing was applied: a test fails')
  return undefined
}
