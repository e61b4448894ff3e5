import { existsSync } from 'node:fs'
import { diff } from '../../config/diff/diff.ts'
import type { Change, Side } from '../../config/diff/diff-changes.ts'
import { renderText } from '../../config/format/problem-text.ts'
import { accountsByPlan } from '../../operator/gateway-calls.ts'
import { hasStandIn } from '../../operator/load-files.ts'
import { CommandFailed } from '../../server/failure.ts'
import type { CountOptions, PlanMoves } from '../options.ts'
import type { Base } from './plan-sides.ts'
import { accountsTouched, NOBODY, type RequestsTouched, requestsTouched, type Sides, type Touches } from './touches.ts'

/** What it means to go from one configuration to another. */
export interface Planned {
  /** What the candidate is compared with, as operators know it. */
  readonly against: string
  /** Which gateway serves that, and since when. */
  readonly title?: string
  /** Whether both are the same texts. */
  readonly isSame: boolean
  readonly changes: readonly Change[]
  readonly touches: Touches
}

interface PlannedOptions extends CountOptions {
  /** Where accounts go with it. */
  readonly movePlan?: PlanMoves
}

/** Compares a candidate with a base, and counts whom the changes touch. Rejects with CommandFailed for a bad base. */
export async function plannedOf(base: Base, candidate: Side, options: PlannedOptions): Promise<Planned> {
  const { name, load, directory, served } = base
  if (!load.ok)
    throw new CommandFailed(`✗ ${name} is not valid\n\n${renderText(load.problems, load.sources).trimEnd()}`)
  const { loaded } = load
  const changes = diff({ before: { loaded, directory }, after: candidate, isUnknown: hasStandIn })
  const { movePlan: moves } = options
  const sides = { before: loaded.config, after: candidate.loaded.config, ...(moves && { moves }) }
  return {
    against: name,
    ...(served && { title: served.title }),
    isSame: sides.before.revision === sides.after.revision,
    changes,
    touches: changes.length === 0 ? NOBODY : await touchesOf(changes, sides, base, options),
  }
}

async function touchesOf(
  changes: readonly Change[],
  sides: Sides,
  { served }: Base,
  { decisions, newest }: CountOptions,
): Promise<Touches> {
  const accounts = served && accountsTouched(changes, sides, await accountsByPlan(served.endpoint))
  const log = decisions ?? served?.log
  if (log === undefined && served) console.error(`▲ ${NOT_COUNTED}: the gateway keeps no decision log`)
  return { accounts, requests: log === undefined ? undefined : await requestsIn(log, sides, newest) }
}

const NOT_COUNTED = 'past requests are not counted'

/** Undefined where the log cannot be read, after a warning: the changes are known all the same. */
async function requestsIn(log: string, sides: Sides, newest: number): Promise<RequestsTouched | undefined> {
  try {
    if (!existsSync(log)) throw new Error(`there is no ${log} on this machine`)
    return await requestsTouched(log, sides, newest)
  } catch (error) {
    const reason = (error instanceof Error ? error.message : String(error)).replace(/^✗ /, '')
    console.error(`▲ ${NOT_COUNTED}: ${reason}`)
    return undefined
  }
}
