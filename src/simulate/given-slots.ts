import type { Path } from '../config/model/tree.ts'
import type { BackendSettings, Loaded, QueueSettings } from '../config/settings.ts'
import type { Config } from '../policy/config.ts'
import { counted } from '../policy/counted.ts'
import type { Pools } from './file.ts'
import { groupsOf, type RequestGroup, SENDER } from './scenario.ts'
import type { Refuse } from './used-limits.ts'

/**
 * Reports requests of others that pools cannot have: more than there are slots, or than a queue takes, or of an account with two
 * plans or orgs.
 */
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
  checkOwners(pools, path, config, refuse)
}

/** An account has one plan and one org, which are those of the request itself for its sender. */
function checkOwners(pools: Pools, path: Path, config: Config, refuse: Refuse): void {
  const known = new Map<string, RequestGroup>()
  for (const { group, at } of placedGroups(pools, path, config)) {
    const { account = '' } = group
    const problem = ownerProblem(group, known.get(account), config)
    if (problem) {
      // A group that lacks the field of an earlier one is marked at its account.
      const field = group[problem.field] === undefined ? 'account' : problem.field
      refuse([...at, field], problem.rule, problem.message, problem.hint)
    }
    if (account !== '' && !known.has(account)) known.set(account, group)
  }
}

/** The groups of all pools, in the order of the file, each with its place. */
const placedGroups = (pools: Pools, path: Path, config: Config) =>
  Object.entries(pools).flatMap(([name, state]) =>
    FIELDS.flatMap(field =>
      groupsOf(config, typeof state === 'object' ? state[field] : []).map((group, index) => ({
        group,
        at: [...path, name, field, index],
      })),
    ),
  )

const FIELDS = ['in_flight', 'queued'] as const
const OWNERS = ['plan', 'org'] as const

interface OwnerProblem {
  readonly field: (typeof OWNERS)[number]
  readonly rule: string
  readonly message: string
  readonly hint: string
}

function ownerProblem(
  group: RequestGroup,
  earlier: RequestGroup | undefined,
  { guestPlan }: Config,
): OwnerProblem | undefined {
  const { account, plan, org } = group
  if (guestPlan && plan === guestPlan && org !== undefined)
    return { field: 'org', rule: 'two-callers', message: 'guests belong to no org', hint: 'remove `org`' }
  const rule = 'two-owners'
  if (account === SENDER) {
    const field = OWNERS.find(each => group[each] !== undefined)
    const message = `the account \`${SENDER}\` has the ${field} of the request itself`
    return field && { field, rule, message, hint: `remove \`${field}\`, or name another account` }
  }
  const field = earlier && OWNERS.find(each => group[each] !== earlier[each])
  const message = `the account \`${account}\` has another ${field} in an earlier group`
  return field && { field, rule, message, hint: `write one \`${field}\` in all groups of an account` }
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
