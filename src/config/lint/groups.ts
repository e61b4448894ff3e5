import { matchesText } from '../../policy/match-text.ts'
import type { ConfigFile, GroupSection } from '../file.ts'
import type { MapNode, Path } from '../model/tree.ts'
import type { Report, Say } from '../problem.ts'
import { sayer } from './lint.ts'
import { lintEntryLimits } from './services.ts'

/** Reports entries of groups that grant nothing, too much to too many, or never apply. */
export function lintGroups(root: MapNode, { identity, guests }: ConfigFile, report: Report): void {
  const say = sayer(root, report)
  const entries = identity?.groups ?? []
  for (const [index, entry] of entries.entries()) {
    const at = ['identity', 'groups', index]
    lintGrants(entry, at, say)
    if (entry.plan !== undefined && entry.plan === guests?.plan)
      say(
        [...at, 'plan'],
        'error',
        'plan-of-guests',
        `\`${entry.plan}\` is the plan of guests`,
        'choose another plan for people',
      )
    lintReach(entry, entries.slice(0, index), at, say)
    lintEntryLimits(`the entry for ${named(entry)}`, entry.limits ?? [], [...at, 'limits'], say)
  }
}

function lintGrants(entry: GroupSection, at: Path, say: Say): void {
  const { plan, org, role, limits } = entry
  if (plan === undefined && org === undefined && role === undefined)
    say(
      at,
      'error',
      'group-without-grant',
      `the entry for ${named(entry)} grants nothing`,
      'add `plan`, `org` or `role`',
    )
  if (limits && plan === undefined)
    say([...at, 'limits'], 'error', 'limits-without-plan', '`limits` belong to a plan', 'add `plan` to this entry')
  const wide = textsOf(entry).find(text => text.endsWith('*'))
  if (role === undefined || role === 'viewer' || wide === undefined) return
  const message = `the role \`${role}\` is granted to every group that matches \`${wide}\``
  say([...at, 'role'], 'error', 'role-of-a-pattern', message, 'name each group exactly, or grant `viewer`')
}

/** Warns of a value that an earlier entry decides for every group of this one. */
function lintReach(entry: GroupSection, earlier: readonly GroupSection[], at: Path, say: Say): void {
  for (const field of ['plan', 'org', 'role'] as const) {
    if (entry[field] === undefined) continue
    const before = earlier.filter(other => other.claim === entry.claim && other[field] !== undefined).flatMap(textsOf)
    if (!textsOf(entry).every(text => before.some(other => covers(other, text)))) continue
    const message = `this \`${field}\` never applies: earlier entries decide it for ${named(entry)}`
    say([...at, field], 'warning', 'group-never-applies', message, 'move this entry up, or remove it')
  }
}

/** Whether every group that matches a text matches the wide one too. */
const covers = (wide: string, text: string): boolean =>
  text.endsWith('*') ? wide.endsWith('*') && text.startsWith(wide.slice(0, -1)) : matchesText(text, wide)

const textsOf = ({ is }: GroupSection): readonly string[] => [is].flat()

const named = (entry: GroupSection): string =>
  textsOf(entry)
    .map(text => `\`${text}\``)
    .join(', ')
