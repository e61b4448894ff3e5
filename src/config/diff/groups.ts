import { type GroupEntry, type GroupGrants, grantsOf } from '../../policy/groups.ts'
import { ruleText } from '../../policy/limits/text.ts'
import type { Effect, Rule, Said } from './changes.ts'
import { listed } from './values.ts'

/**
 * Whom a change of `identity.groups` gives another plan, org, role or limits: members of each group that the files name, and members of
 * two of them where neither group alone changes, as after a change of the order.
 */
export const groupsRule: Rule<readonly GroupEntry[]> = (from, to) => {
  if (JSON.stringify(from) === JSON.stringify(to)) return []
  const members = membersIn([...from, ...to])
  const said = GRANTS.flatMap(grant => changesOf(grant, members, from, to))
  return said.length > 0 ? said : [NO_EFFECT]
}

const NO_EFFECT: Said = {
  field: 'identity.groups',
  from: null,
  to: null,
  text: 'identity.groups is written differently, with the same result for members of its groups',
  effect: 'plumbing',
}

/** A group as the files name it: `group` is a name that the entries match as they match the groups of its members. */
interface Member {
  readonly named: string
  readonly claim: string
  readonly group: string
}

/** One thing that an entry grants, in words. */
interface Grant {
  readonly of: (grants: GroupGrants) => string | undefined
  readonly gets: (value: string) => string
  /** The words for members for whom no entry states it. */
  readonly otherwise: string
  readonly effect: Effect
}

const GRANTS: readonly Grant[] = [
  {
    of: ({ plan }) => plan?.plan,
    gets: plan => `plan ${plan}`,
    otherwise: 'the plan of `plan_claim` or the default plan',
    effect: 'other',
  },
  {
    of: ({ plan }) => plan?.limits && listed(plan.limits.map(rule => `${rule.most} ${ruleText(rule)}`)),
    gets: limits => `limits of their own (${limits})`,
    otherwise: 'the limits of their plan alone',
    effect: 'other',
  },
  { of: ({ org }) => org?.org, gets: org => `org:${org}`, otherwise: 'no org', effect: 'other' },
  { of: ({ role }) => role?.role, gets: role => `the role ${role}`, otherwise: 'no role', effect: 'plumbing' },
]

function changesOf(
  grant: Grant,
  members: readonly Member[],
  from: readonly GroupEntry[],
  to: readonly GroupEntry[],
): readonly Said[] {
  const compared = (of: readonly Member[]) => {
    const [was, is] = [from, to].map(entries => grantTo(of, entries, grant))
    return was === is ? undefined : said(grant, of, was, is)
  }
  const alone = new Map(members.map(member => [member, compared([member])]))
  const unchanged = members.filter(member => !alone.get(member))
  const pairs = unchanged.length > MOST_PAIRED ? [] : pairsOf(unchanged).map(compared)
  return [...alone.values(), ...pairs].filter(each => each !== undefined)
}

function said({ gets, otherwise, effect }: Grant, of: readonly Member[], from?: string, to?: string): Said {
  const [was, is] = [from, to].map(value => (value === undefined ? otherwise : gets(value)))
  const who = `${of.length > 1 ? 'members of both' : 'members of'} ${of.map(({ named }) => named).join(' and ')}`
  const text = `${who} get ${is}, no longer ${was}`
  return { field: 'identity.groups', from: from ?? null, to: to ?? null, text, effect }
}

function grantTo(of: readonly Member[], entries: readonly GroupEntry[], grant: Grant): string | undefined {
  const claims: Record<string, string[]> = Object.create(null)
  for (const { claim, group } of of) claims[claim] = [...(claims[claim] ?? []), group]
  const granted = grantsOf(claims, entries)
  return 'fault' in granted ? undefined : grant.of(granted)
}

/** Each group that an entry names, once. */
function membersIn(entries: readonly GroupEntry[]): readonly Member[] {
  const members = new Map<string, Member>()
  for (const { claim, is } of entries)
    for (const text of is) {
      const named = claim === 'groups' ? text : `${text} (${claim})`
      const group = text.endsWith('*') ? `${text.slice(0, -1)}${ANY_END}` : text
      members.set(JSON.stringify([claim, text]), { named, claim, group })
    }
  return [...members.values()]
}

const pairsOf = (members: readonly Member[]): readonly Member[][] =>
  members.flatMap((one, index) => members.slice(index + 1).map(other => [one, other]))

/** Stands for `*`: no file names a group with this character. */
const ANY_END = '\0'

/** More groups have too many pairs to compare. */
const MOST_PAIRED = 64
