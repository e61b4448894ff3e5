import type { Change, Effect } from '../../config/diff/changes.ts'
import { counted, workflowCommand, workflowNotice } from '../../config/format/problem-text.ts'
import type { EpochMs } from '../../policy/config.ts'
import { painter } from '../../server/log/terminal-text.ts'
import { shownChange } from '../../wire/admin/revision-diff.ts'
import { jsonText, oneLine } from '../../wire/printable.ts'
import { foldedText, placedLines } from '../kit/table.ts'
import {
  type AccountsTouched,
  COUNTS,
  type Counts,
  type Planned,
  type PlanTouched,
  type RequestsTouched,
  type Touches,
} from './planned.ts'
import { upgradeLines, upgradeRecord, upgradeTitle } from './upgrade-text.ts'

/** As people read it: a line for each change, whom they touch, what an upgrade changes, and how many changes there are. */
export function planText(planned: Planned, colour: boolean): string {
  const { against, title, changes, touches } = planned
  const upgraded = upgradeText(planned, painter(colour))
  if (changes.length === 0) return `${[foldedText(nothingText(planned)), ...upgraded].join('\n\n')}\n`
  const touched = touchesLines(touches).map(line => `\n${foldedText(`  ${line}`, 2)}`)
  const parts = [
    ...(title === undefined ? [] : [foldedText(title)]),
    changeLines(changes, painter(colour)).join('\n'),
    ...(touched.length > 0 ? [`Whom it touches${touched.join('')}`] : []),
    ...upgraded,
    foldedText(`${counted(changes.length, 'change')} against ${against}: ${sumsText(changes)}`),
  ]
  return `${parts.join('\n\n')}\n`
}

const SIGNS = { lost: '✗', less: '↓', other: '~', more: '+', plumbing: '·' } as const
const TONES = { lost: 'red', less: 'red', other: undefined, more: 'green', plumbing: 'dim' } as const
const SUMS: Readonly<Record<Effect, string>> = {
  lost: 'taken away',
  less: 'less',
  other: 'different',
  more: 'more',
  plumbing: 'invisible to clients',
}

/** The text where nothing changes in meaning. Files that are only written otherwise can be applied too. */
const nothingText = ({ against, title, isSame }: Planned): string =>
  `no change in meaning against ${against}${title !== undefined && !isSame ? ', only texts differ' : ''}`

function changeLines(changes: readonly Change[], paint: ReturnType<typeof painter>): readonly string[] {
  const placed = changes.map(({ effect, text, at }) => {
    const tone = TONES[effect]
    const sign = tone ? paint(tone, SIGNS[effect]) : SIGNS[effect]
    return { head: `  ${sign} `, text: clean(text), place: `${at.file}:${at.line}` }
  })
  return placedLines(placed, 4, paint)
}

/** Each fact of a pool that an upgrade changes, with where it is known from. */
function upgradeText({ upgrade }: Planned, paint: ReturnType<typeof painter>): readonly string[] {
  if (!upgrade || upgrade.changes.length === 0) return []
  const placed = upgradeLines(upgrade).map(({ text, source }) => ({
    head: '  · ',
    text,
    ...(source && { place: source }),
  }))
  return [[foldedText(upgradeTitle(upgrade)), ...placedLines(placed, 4, paint)].join('\n')]
}

/** `1 taken away, 2 less` */
export const sumsText = (changes: readonly Change[]): string =>
  Object.entries(SUMS)
    .flatMap(([effect, said]) => {
      const count = changes.filter(change => change.effect === effect).length
      return count > 0 ? [`${count} ${said}`] : []
    })
    .join(', ')

/** As programs read it. */
export const planJson = (planned: Planned): string => `${jsonText(planRecord(planned), 2)}\n`

/** `kind` is lost, less, other, more or plumbing; what could not be counted or compared is null. */
export const planRecord = ({ against, changes, touches, upgrade }: Planned): object => ({
  against,
  changes: changes.map(shownChange),
  touches: touchesRecord(touches),
  upgrade: upgradeRecord(upgrade),
})

/** As GitHub shows it in a pull request: a warning where clients have less, and a notice of whom it touches. */
export function planGithub({ changes, touches, upgrade }: Planned): string {
  const told = changes.map(({ effect, subject, text, at }) => {
    const level = effect === 'lost' || effect === 'less' ? 'warning' : 'notice'
    return workflowCommand(level, at, subject, text)
  })
  const touched = touchesLines(touches).map(line => line.trim())
  const notice = touched.length > 0 ? [workflowNotice('whom it touches', touched.join('; '))] : []
  const upgraded = upgrade
    ? upgradeLines(upgrade).map(({ text }) => workflowNotice('provider profiles', `${upgradeTitle(upgrade)}: ${text}`))
    : []
  return [...told, ...notice, ...upgraded].map(line => `${line}\n`).join('')
}

/** Control characters of a text in the files would move the terminal's cursor. */
const clean = (text: string): string => text.replace(/\p{Cc}/gu, ' ')

interface Kind {
  readonly kind: Exclude<keyof Counts, 'requests' | 'unasked'>
  readonly one: string
  readonly many: string
}

const KINDS: readonly Kind[] = [
  { kind: 'refused', one: 'newly refused', many: 'newly refused' },
  { kind: 'allowed', one: 'newly allowed', many: 'newly allowed' },
  { kind: 'rerouted', one: 'goes to another model', many: 'go to another model' },
  { kind: 'moved', one: 'moves to another pool', many: 'move to another pool' },
  { kind: 'undeterminable', one: 'cannot be decided again', many: 'cannot be decided again' },
]
/** The most plans that one kind of change lists by name. */
const MOST_PLANS = 4

/** As people read them: a line for each plan that changes, one for all recorded requests, and what is to be known. */
export function touchesLines({ accounts = [], requests }: Touches): readonly string[] {
  return [...accountLines(accounts), ...(requests ? [requestsText(requests), ...notes(requests)] : [])]
}

function accountLines(touched: readonly AccountsTouched[]): readonly string[] {
  const width = Math.max(0, ...touched.map(({ accounts }) => thousands(accounts).length))
  return touched.map(({ plan, accounts, gone }) => {
    const noun = accounts === 1 ? 'account' : 'accounts'
    return `${thousands(accounts).padStart(width)} ${noun} on plan ${oneLine(plan)}${gone ? ', which is gone' : ''}`
  })
}

function requestsText(touched: RequestsTouched): string {
  const { requests, since, onlyNewest, plans } = touched
  if (requests === 0) return 'no requests are recorded yet'
  const told = KINDS.flatMap(({ kind, one, many }) => {
    const count = touched[kind]
    return count > 0 ? [`${thousands(count)} ${count === 1 ? one : many} (${plansText(plans, kind)})`] : []
  })
  const what = `${onlyNewest ? 'the newest ' : ''}${thousands(requests)} ${requests === 1 ? 'request' : 'requests'}`
  const from = since === undefined ? '' : ` since ${secondText(since)}`
  return `of ${what}${from}: ${told.join(', ') || 'all are decided as before'}`
}

/** `free 310, pro 2`: most first. */
function plansText(plans: readonly PlanTouched[], kind: Kind['kind']): string {
  const some = plans.filter(plan => plan[kind] > 0).sort((a, b) => b[kind] - a[kind])
  const named = some.slice(0, MOST_PLANS).map(plan => `${oneLine(plan.plan)} ${thousands(plan[kind])}`)
  return [...named, ...(some.length > MOST_PLANS ? [`${some.length - MOST_PLANS} more plans`] : [])].join(', ')
}

function notes({ undeterminable, unasked, broken }: RequestsTouched): readonly string[] {
  return [
    undeterminable > 0
      ? 'requests that cannot be decided again depend on texts or headers that were not examined then'
      : '',
    unasked > 0 ? `for ${thousands(unasked)} of those allowed it is unknown whether the limits have room` : '',
    broken > 0 ? `${thousands(broken)} broken ${broken === 1 ? 'line was' : 'lines were'} skipped` : '',
  ].filter(Boolean)
}

const thousands = (count: number): string => count.toLocaleString('en-US')

const secondText = (at: EpochMs): string => new Date(at).toISOString().replace(/\.\d+Z$/, 'Z')

/** As programs read them; null for a number that could not be counted. */
export const touchesRecord = ({ accounts, requests }: Touches): object => ({
  accounts: accounts ?? null,
  requests: requests ? requestsRecord(requests) : null,
})

const requestsRecord = (touched: RequestsTouched): object => ({
  ...countsRecord(touched),
  since: touched.since === undefined ? null : new Date(touched.since).toISOString(),
  only_newest: touched.onlyNewest,
  broken_lines: touched.broken,
  plans: touched.plans.map(plan => ({ plan: plan.plan, ...countsRecord(plan) })),
})

const countsRecord = (counts: Counts): object => Object.fromEntries(COUNTS.map(count => [count, counts[count]]))
