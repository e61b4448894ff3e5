import { findAdminEndpoint } from '../../operator/connect.ts'
import { mayAsk } from '../confirm.ts'
import { candidateIn } from '../plan/candidate.ts'
import { plannedOf } from '../plan/planned.ts'
import { servedBase } from '../plan/served-base.ts'
import type { ApplyOptions } from './apply.ts'
import { swap, swapNothing } from './swap.ts'
import { testsPass } from './tested.ts'

/** Checks, tests, plans, asks, and has the gateway serve the files: each step only when those before it went well. */
export async function apply(options: ApplyOptions): Promise<void> {
  const { config, json, yes, skipTests, movePlan: movePlans = new Map() } = options
  const candidate = await candidateIn(config, json ? 'json' : 'text')
  if (!candidate) return
  const { texts: files, config: policy } = candidate.loaded
  const base = await servedBase(await findAdminEndpoint(config), candidate.directory)
  // Accounts may have to go elsewhere all the same: a gateway that was killed had not moved them.
  if (policy.revision === base.revision && movePlans.size === 0)
    return swapNothing(base, 'apply', options, { tests: null })
  mayAsk(yes)
  const tests = skipTests ? null : await testsPass(options)
  if (tests === undefined) return
  const planned = await plannedOf(base, candidate, options)
  await swap({ base, planned, files, movePlans, how: 'apply', revision: policy.revision }, options, { tests })
}
