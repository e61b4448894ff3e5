import { relative } from 'node:path'
import { findAdminEndpoint } from '../../operator/connect.ts'
import { exitCodes } from '../../server/failure.ts'
import { fleetToChange } from '../fleet/warn-drift.ts'
import { nameOf } from '../kit/options.ts'
import { mayAsk, writeOut } from '../kit/terminal.ts'
import { plannedOf } from '../plan/planned.ts'
import { candidateIn, servedBase } from '../plan/sides.ts'
import { patternBeside, testsBeside } from '../test/files.ts'
import { runOnce } from '../test/run.ts'
import type { Counts } from '../test/text.ts'
import type { ApplyOptions } from './apply.ts'
import { isServed, swap, swapNothing } from './swap.ts'

/** Checks, tests, plans, asks, and has the gateway serve the files: each step only when those before it went well. */
export async function apply(options: ApplyOptions): Promise<void> {
  const { config, json, yes, skipTests, movePlan: movePlans = new Map() } = options
  const candidate = await candidateIn(config, json ? 'json' : 'text')
  if (!candidate) return
  const { texts: files, config: policy } = candidate.loaded
  const endpoint = await findAdminEndpoint(config, nameOf(options))
  const fleet = await fleetToChange(endpoint, options)
  const base = await servedBase(endpoint, candidate.directory)
  // Accounts may have to go elsewhere all the same: a gateway that was killed had not moved them.
  if (isServed(policy.revision, base, fleet) && movePlans.size === 0)
    return swapNothing(base, 'apply', options, { tests: null })
  mayAsk(yes)
  const tests = skipTests ? null : await testsPass(options)
  if (tests === undefined) return
  const planned = await plannedOf(base, candidate, options)
  await swap({ base, planned, files, movePlans, how: 'apply', revision: policy.revision, fleet }, options, { tests })
}

interface Tested {
  readonly config: string
  readonly json?: boolean
}

/**
 * Runs the tests beside a configuration, as `svcctl test` does. Undefined if one fails or cannot run; stdout reports it, with exit
 * code 1. Having no tests is not a failure.
 */
async function testsPass(options: Tested): Promise<Counts | undefined> {
  const cwd = process.cwd()
  if (testsBeside(options.config, cwd).files.length === 0) {
    console.error(`▲ no tests found: nothing matches ${relative(cwd, patternBeside(options.config, cwd))}`)
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
