import type { Path } from '../config/model/tree.ts'
import type { BackendSettings, Loaded, QueueSettings } from '../config/settings.ts'
import { counted } from '../policy/counted.ts'
import type { Pools } from './file.ts'
import { groupsOf, type RequestGroup } from './scenario.ts'
import type { Refuse } from './used-limits.ts'

/** Reports requests of others that a pool cannot have: more than it has slots, or than its queue takes. */
export function checkSlots(
  pools: Pools = {},
  path: Path,
  { config, settings }: Pick<Loaded, 'config' | 'settings'>,
  refuse: Refuse,
): void {
  for (const [name, state] of Object.entries(pools)) {
    const backend = settings.backends.get(name)
    if (typeof state !== 'object' || !backend) continue
    const inFlight = groupsOf(config, state.in_flight)
    const queued = groupsOf(config, state.queued)
    const problem = inFlightProblem(name, backend, inFlight) ?? queuedProblem(name, backend, inFlight, queued)
    if (problem) refuse([...path, name, problem.field], problem.rule, problem.message, problem.hint)
  }
}

interface SlotProblem {
  readonly field: 'in_flight' | 'queued'
  readonly rule: string
  readonly message: string
  readonly hint: string
}

function inFlightProblem(
  name: string,
  { maxConcurrent: max }: BackendSettings,
  inFlight: readonly RequestGroup[],
): SlotProblem | undefined {
  const given = sumOf(inFlight, ({ requests }) => requests)
  if (given === 0 || (max !== undefined && given <= max)) return undefined
  const field = 'in_flight' as const
  if (max === undefined)
    return {
      field,
      rule: 'no-slots',
      message: `pool \`${name}\` has no \`max_concurrent\``,
      hint: 'remove `in_flight`',
    }
  const message = `pool \`${name}\` has ${counted(max, 'slot')}, and ${counted(given, 'request')} are given`
  return { field, rule: 'too-many-requests', message, hint: `write at most ${max}` }
}

function queuedProblem(
  name: string,
  { maxConcurrent: max = 0, queue }: BackendSettings,
  inFlight: readonly RequestGroup[],
  queued: readonly RequestGroup[],
): SlotProblem | undefined {
  const given = sumOf(queued, ({ requests }) => requests)
  if (given === 0) return undefined
  const refused = (rule: string, message: string, hint: string) => ({ field: 'queued' as const, rule, message, hint })
  if (!queue) return refused('no-queue', `pool \`${name}\` has no \`queue\``, 'remove `queued`')
  if (sumOf(inFlight, ({ requests }) => requests) < max)
    return refused(
      'free-slots',
      `requests wait for pool \`${name}\` only while all of its slots are in use`,
      `write \`in_flight: ${max}\``,
    )
  if (given > queue.max)
    return refused(
      'too-many-requests',
      `the queue of pool \`${name}\` takes ${queue.max}`,
      `write at most ${queue.max}`,
    )
  return accountsOf(queued)
    .flatMap(groups => boundMet(groups, queue) ?? [])
    .map(({ rule, most }) =>
      refused(rule, `the queue of pool \`${name}\` takes ${most} of one account`, HINTS[rule]),
    )[0]
}

const HINTS = {
  'too-many-requests': 'write fewer requests of one `account`',
  'too-many-bytes': 'write fewer `bytes`',
}

/** The groups of each account; in a group that names none, each request has one of its own. */
function accountsOf(queued: readonly RequestGroup[]): readonly (readonly RequestGroup[])[] {
  const named = new Set(queued.flatMap(({ account }) => account ?? []))
  const single = queued.filter(({ account }) => account === undefined).map(group => [{ ...group, requests: 1 }])
  return [...[...named].map(name => queued.filter(({ account }) => account === name)), ...single]
}

/** The bound of a queue that the requests of one account exceed. */
function boundMet(
  groups: readonly RequestGroup[],
  { ofAccount, bytes: mostBytes }: QueueSettings,
): { readonly rule: keyof typeof HINTS; readonly most: string } | undefined {
  if (sumOf(groups, ({ requests }) => requests) > ofAccount)
    return { rule: 'too-many-requests', most: counted(ofAccount, 'request') }
  if (sumOf(groups, ({ requests, bytes }) => requests * bytes) > mostBytes)
    return { rule: 'too-many-bytes', most: `bodies of ${mostBytes} bytes` }
  return undefined
}

const sumOf = (groups: readonly RequestGroup[], count: (group: RequestGroup) => number): number =>
  groups.reduce((sum, group) => sum + count(group), 0)
