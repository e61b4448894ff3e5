import { existsSync } from 'node:fs'
import type { Change, Side } from '../../config/diff/changes.ts'
import { diff } from '../../config/diff/diff.ts'
import { renderText } from '../../config/format/problem-text.ts'
import type { Loaded } from '../../config/settings.ts'
import { hasStandIn } from '../../config/stand-ins.ts'
import { accountsByPlan } from '../../operator/gateway-calls.ts'
import type { Config, EpochMs } from '../../policy/config.ts'
import { CommandFailed } from '../../server/failure.ts'
import { lookOf } from '../../server/log/terminal-text.ts'
import { world } from '../../server/world.ts'
import { readRecord } from '../../simulate/records.ts'
import { type Group, Replay } from '../../simulate/replay.ts'
import type { ServedProfiles } from '../../wire/admin/pool-facts.ts'
import type { ShownPlanCount } from '../../wire/admin/revision.ts'
import { oneLine } from '../../wire/printable.ts'
import { logsAt, newestOf, sizeOf } from '../explain/decision-lines.ts'
import type { CountOptions, PlanMoves } from '../kit/options.ts'
import { Progress } from '../kit/terminal.ts'
import type { Base } from './sides.ts'
import { type Upgrade, upgradeOf } from './upgrade.ts'

/** The meaning of a step from one configuration to another. */
export interface Planned {
  /** The name of the configuration that the candidate is compared with. */
  readonly against: string
  /** Which gateway serves that, and since when. */
  readonly title?: string
  /** Whether both are the same texts. */
  readonly isSame: boolean
  readonly changes: readonly Change[]
  readonly touches: Touches
  /** The changes that this version's profiles make to the files that the gateway serves; undefined where none says how it speaks to its pools. */
  readonly upgrade: Upgrade | undefined
}

interface PlannedOptions extends CountOptions {
  /** Where accounts go with it. */
  readonly movePlan?: PlanMoves
}

/** Compares a candidate with a base, and counts whom the changes touch. Rejects with CommandFailed for a bad base. */
export async function plannedOf(base: Base, candidate: Side, options: PlannedOptions): Promise<Planned> {
  const { name, load, directory, served } = base
  if (!load.ok)
    throw new CommandFailed(
      `✗ ${name} is not valid\n\n${renderText(load.problems, load.sources, lookOf(process.stderr)).trimEnd()}`,
    )
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
    upgrade: served?.profiles && comparedUpgrade(served.profiles, loaded),
  }
}

function comparedUpgrade(profiles: ServedProfiles, loaded: Loaded): Upgrade {
  const upgrade = upgradeOf(profiles, loaded)
  const { uncompared } = upgrade
  if (uncompared.length > 0)
    console.error(
      `▲ provider profiles are not compared for pools whose model or addresses differ in this shell: ${uncompared.map(oneLine).join(', ')}`,
    )
  return upgrade
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
    if (!existsSync(log)) throw new Error(`${log} is not on this machine`)
    return await requestsTouched(log, sides, newest)
  } catch (error) {
    const reason = (error instanceof Error ? error.message : String(error)).replace(/^✗ /, '')
    console.error(`▲ ${NOT_COUNTED}: ${reason}`)
    return undefined
  }
}

/** The accounts and the past requests that a change touches. */
export interface Touches {
  /** Undefined where no gateway was asked. */
  readonly accounts: readonly AccountsTouched[] | undefined
  /** Undefined where there is no decision log to read. */
  readonly requests: RequestsTouched | undefined
}

/** A plan that changes or goes. */
export interface AccountsTouched {
  readonly plan: string
  /** How many accounts are on it. */
  readonly accounts: number
  readonly gone: boolean
}

/** No account is touched, since no change has a meaning. */
const NOBODY: Touches = { accounts: [], requests: undefined }

/** The accounts on plans that change or go, most first. */
function accountsTouched(
  changes: readonly Change[],
  { before, after }: Sides,
  counts: readonly ShownPlanCount[],
): readonly AccountsTouched[] {
  const accounts = new Map(counts.map(each => [each.plan, each.accounts]))
  const subjects = new Set(changes.map(({ subject }) => subject))
  const plans = [...before.plans.keys()].filter(plan => subjects.has(`plan ${plan}`))
  return plans
    .map(plan => ({ plan, accounts: accounts.get(plan) ?? 0, gone: !after.plans.has(plan) }))
    .sort((a, b) => b.accounts - a.accounts)
}

/** Recorded requests, and how many the candidate decides differently from the base. */
export interface RequestsTouched extends Counts {
  /** When the oldest of them was decided. */
  readonly since: EpochMs | undefined
  /** Whether the log has older ones. */
  readonly onlyNewest: boolean
  /** Lines that are no decisions. */
  readonly broken: number
  /** Accounts with a request that is decided otherwise, or whose decision cannot be known. */
  readonly plans: readonly PlanTouched[]
}

export type Counts = Readonly<Record<(typeof COUNTS)[number], number>>

export interface PlanTouched extends Counts {
  readonly plan: string
}

/** The counts of a replay. */
export const COUNTS = ['requests', 'refused', 'allowed', 'unasked', 'rerouted', 'moved', 'undeterminable'] as const

interface Sides {
  readonly before: Config
  readonly after: Config
  /** Plans that accounts go to, by those that they are on. */
  readonly moves?: ReadonlyMap<string, string>
}

/** Takes the newest decisions of a log through both, at most so many. Rejects where it cannot be read. */
export async function requestsTouched(
  log: string,
  { before, after, moves }: Sides,
  most: number,
): Promise<RequestsTouched> {
  const logs = await logsAt(log)
  const replay = new Replay(after, before, moves)
  const progress = new Progress(process.stderr, world.clock, await sizeOf(logs.flat()))
  const taken = { lines: 0, oldest: '', onlyNewest: false }
  try {
    for await (const { lines, bytes } of newestOf(logs)) {
      for (const line of lines) {
        if (line === '') continue
        taken.onlyNewest = taken.lines === most
        if (taken.onlyNewest) break
        replay.add(line)
        taken.oldest = line
        taken.lines++
      }
      if (taken.onlyNewest) break
      progress.add(bytes)
    }
  } finally {
    progress.end()
  }
  const { groups, total, broken } = replay.replayed
  const since = readRecord(taken.oldest)?.facts.at
  return { ...countsOf([total]), since, onlyNewest: taken.onlyNewest, broken, plans: plansOf(groups) }
}

function plansOf(groups: readonly Group[]): readonly PlanTouched[] {
  const plans = [...new Set(groups.map(({ plan }) => plan))]
  return plans
    .map(plan => ({ plan, ...countsOf(groups.filter(group => group.plan === plan)) }))
    .filter(({ refused, allowed, rerouted, moved, undeterminable }) =>
      [refused, allowed, rerouted, moved, undeterminable].some(count => count > 0),
    )
}

function countsOf(tallies: readonly Counts[]): Counts {
  const sums = { requests: 0, refused: 0, allowed: 0, unasked: 0, rerouted: 0, moved: 0, undeterminable: 0 }
  for (const tally of tallies) for (const count of COUNTS) sums[count] += tally[count]
  return sums
}
