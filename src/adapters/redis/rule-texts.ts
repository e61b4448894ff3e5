import { remembered } from '../../gateway/lifetimes.ts'
import type { BegunCounter, Extension, Settlement } from '../../gateway/store/hold-store.ts'
import type { EpochMs } from '../../policy/config.ts'
import type { Hold } from '../../policy/counters/account-counters.ts'
import { hasLastTurn, isRequests } from '../../policy/counters/rule-hold.ts'
import type { Claims, Pieces } from '../../policy/decision.ts'
import type { LimitWindow } from '../../policy/limits/rule.ts'
import {
  beginsWithLedger,
  type CounterName,
  type HeldRules,
  type JoinedCell,
  measureOfField,
  type RuleClaim,
  type TakenCell,
  windowOfField,
} from '../../policy/limits/rule-claim.ts'
import {
  type Cell,
  cellAt,
  cellStart,
  firstCell,
  type RuleCounter,
  type RuleReading,
  type RuleUse,
  readCell,
  readRule,
  slides,
} from '../../policy/limits/rule-counter.ts'
import { calendarOf } from '../../policy/limits/zoned-window.ts'
import type { Watch } from '../../policy/notices.ts'
import type { Reply } from './client.ts'
import { WEIGHT_TEXT } from './hold-text.ts'
import type { Layout } from './layout.ts'

/** The keys and values that follow a script's own where rules count a request; redis/holds/rules.lua reads them. */
export interface RuleArguments {
  readonly keys: readonly string[]
  readonly values: readonly string[]
}

const NO_RULES: RuleArguments = { keys: [], values: [] }

export function claimedRules(layout: Layout, account: string, { rules, pieces }: Claims): RuleArguments {
  if (!rules) return NO_RULES
  const groups = groupsOf(rules)
  return { keys: keysOf(layout, account, groups), values: [claimsText(layout, rules, groups, pieces)] }
}

/** `growing` are the rules that another round takes more of. */
export function extendedRules(
  layout: Layout,
  { hold, soFar }: Extension,
  { rules: growing = [], pieces }: Claims,
): RuleArguments {
  const { account, rules } = hold
  if (!rules && growing.length === 0) return NO_RULES
  const taken = rules?.taken ?? []
  const groups = groupsOf([...taken, ...growing])
  const texts = [
    claimsText(layout, growing, groups, pieces),
    takenText(layout, taken, groups),
    String(soFar.bill.inputTokens),
  ]
  return { keys: keysOf(layout, account, groups), values: texts }
}

/** Beside these, the limits that notices are about, as redis/notices/announce.lua reads them; empty where there are none. */
export function endedRules(
  layout: Layout,
  { account, rules }: Pick<Hold, 'account' | 'rules'>,
  settlement?: Pick<Settlement, 'pieces' | 'joined' | 'watches'>,
  mayBeLost = false,
): RuleArguments & { readonly watched: string } {
  const { joined = [], pieces, watches = [] } = settlement ?? {}
  if (!rules && joined.length === 0) return { ...NO_RULES, watched: watchesText(watches, []) }
  const all = rules?.taken ?? []
  // Requests are counted by the admission, which a server that took over may lack. A notice needs to read them, and a last turn
  // may give its own back.
  const isNeeded = (cell: TakenCell) =>
    !isRequests(cell) || hasLastTurn(cell) || watches.some(watch => isOf(watch, cell))
  const taken = mayBeLost ? all : all.filter(isNeeded)
  const groups = groupsOf([...taken, ...joined])
  const { images = 0, seconds = 0 } = pieces ?? {}
  return {
    keys: keysOf(layout, account, groups),
    values: [endedText(layout, taken, joined, groups), `${images} ${seconds}`],
    watched: watchesText(watches, taken),
  }
}

const isOf = ({ counter }: Watch, { group, field }: CounterName): boolean =>
  typeof counter === 'object' && counter.field === field && counter.group === group

/** The watches of the spend, of the day and of these counters, by their places. */
function watchesText(watches: readonly Watch[], counters: readonly CounterName[]): string {
  const texts = watches.flatMap(watch => {
    const { counter, cell, end, name, thresholds, about } = watch
    const place = typeof counter === 'string' ? counter : 1 + counters.findIndex(each => isOf(watch, each))
    const uses = thresholds.map(({ percent, use }) => [percent, use])
    return place === 0 ? [] : [JSON.stringify([place, cell, end, name, uses, JSON.stringify(about)])]
  })
  return texts.length === 0 ? '' : `[${texts}]`
}

/** The arguments for a running request, whose counts its admission keeps beside it. */
export function adoptedRules(layout: Layout, { account, rules }: Pick<Hold, 'account' | 'rules'>): RuleArguments {
  if (!rules) return NO_RULES
  const groups = groupsOf(rules.taken)
  const cells = rules.taken.map(({ cell }) => `${cell},0,0`).join(';')
  return {
    keys: keysOf(layout, account, groups),
    values: [takenText(layout, rules.taken, groups), cells, WEIGHT_TEXT.textOf(rules.weight)],
  }
}

/** A flag of 2 says of a counter that the request joined it, and one of 3 that it begins with the ledger. */
function endedText(
  layout: Layout,
  taken: readonly TakenCell[],
  joined: readonly JoinedCell[],
  groups: readonly string[],
): string {
  if (joined.length === 0) return takenText(layout, taken, groups)
  const all = [...taken, ...joined]
  const cells = all.map(({ cell }) => cell)
  const flags = [...taken.map(() => 0), ...joined.map(({ begins }) => (begins ? 3 : 2))]
  return countersText(layout, all, groups, cells, flags)
}

export function begunRules(layout: Layout, account: string, begun: readonly BegunCounter[]): RuleArguments {
  const groups = groupsOf(begun.map(({ name }) => name))
  const values = begun.flatMap(({ name: { group, field }, counter }) => {
    const per = windowOfField(field)
    return [String(groups.indexOf(group) + 1), per ?? '', field, newestText(counter, per), olderText(counter)]
  })
  return { keys: keysOf(layout, account, groups), values }
}

const groupsOf = (counters: readonly CounterName[]): string[] => {
  const groups: string[] = []
  for (const { group } of counters) if (!groups.includes(group)) groups.push(group)
  return groups
}

const keysOf = (layout: Layout, account: string, groups: readonly string[]): string[] =>
  groups.map(group => layout.rules(account, group))

function claimsText(
  layout: Layout,
  claims: readonly RuleClaim[],
  groups: readonly string[],
  pieces: Pieces = {},
): string {
  const { images = 0, seconds = 0 } = pieces
  const numbers = claims.map(({ rule }) => rule.most)
  const flags = claims.map(claim => (beginsWithLedger(claim) ? 1 : 0))
  const lastTurns = claims.some(({ rule }) => rule.lastTurn !== undefined)
    ? claims.map(({ rule }) => rule.lastTurn ?? 0)
    : []
  return countersText(layout, claims, groups, numbers, flags, images, seconds, lastTurns)
}

const takenText = (layout: Layout, taken: readonly TakenCell[], groups: readonly string[]): string =>
  countersText(
    layout,
    taken,
    groups,
    taken.map(({ cell }) => cell),
  )

function countersText(
  { now }: Layout,
  counters: readonly CounterName[],
  groups: readonly string[],
  numbers: readonly number[],
  flags: readonly number[] = [],
  images = 0,
  seconds = 0,
  lastTurns: readonly number[] = [],
): string {
  const { fields, measures, windows, isFixed } = namesOf(counters.map(({ field }) => field).join('\n'))
  const pers = isFixed ? windows : boundedWindows(counters, now())
  const places = counters.map(({ group }) => groups.indexOf(group) + 1)
  const own = JSON.stringify(groups)
  const turns = lastTurns.length > 0 ? `,[${lastTurns}]` : ''
  return `[${fields},[${places}],[${numbers}],${measures},${pers},[${flags}],${images},${seconds},${own}${turns}]`
}

/** The fields of counters, and their measures and windows, as JSON: those of most requests are those of another one. */
const namesOf = remembered(1000, text => {
  const fields = text === '' ? [] : text.split('\n')
  const measures = fields.map(measureOfField)
  const windows = fields.map(field => windowOfField(field) ?? '')
  return {
    fields: JSON.stringify(fields),
    measures: JSON.stringify(measures),
    windows: JSON.stringify(windows),
    isFixed: windows.every(per => per === '' || !isBounded(per)),
  }
})

/** Whether scripts cannot know where the cells of a window begin. They know the months of UTC. */
const isBounded = (per: LimitWindow): boolean => per !== 'month' && calendarOf(per) !== undefined

/** The windows of counters as scripts read them, with the beginnings of the cells around a moment where Lua cannot know them. */
const boundedWindows = (counters: readonly CounterName[], at: EpochMs): string =>
  JSON.stringify(
    counters.map(({ field }) => {
      const per = windowOfField(field) ?? ''
      return per !== '' && isBounded(per) ? boundsText(per, at) : per
    }),
  )

/** `day@Europe:Berlin 20400 1762470000000 …`: the cell before the current one, its beginning, and those of the next three. */
function boundsText(per: LimitWindow, at: EpochMs): string {
  const first = cellAt(per, at) - 1
  return `${per} ${first} ${BOUNDS.map(place => cellStart(per, first + place)).join(' ')}`
}

const BOUNDS = [0, 1, 2, 3, 4]

type Counters = [fields: readonly string[], places: readonly number[]]

/** Reads `index,used,held` of each rule; behind that may stand from where older cells count, and what they come to. */
export const readUses = (text: string): readonly RuleUse[] =>
  text.split(';').map(entry => {
    const [index, used, held, from, usedBefore, heldBefore] = entry.split(',')
    const use = { index: Number(index), used: Number(used), held: Number(held) }
    if (from === undefined || from === '0' || usedBefore === undefined) return use
    return { ...use, used: use.used + Number(usedBefore), held: use.held + Number(heldBefore) }
  })

/** Reads `index;index,used,held;…` of each rule, a line each. */
export const readRuleReadings = (text: string, rules: readonly RuleClaim[]): readonly RuleReading[] =>
  text.split('\n').map((line, place) => {
    const [index = '', ...cells] = line.split(';')
    return readCell(cells.map(readCellText), rules[place]?.rule.per, Number(index))
  })

/** Reads a request's counts from the texts kept with its hold; undefined where rules do not count it, or it ended. */
export function readHeldRules([rules, cells, weight]: readonly (string | null | undefined)[]): HeldRules | undefined {
  if (!rules || !cells || !weight) return undefined
  const [fields, places, , , , , , , groups] = JSON.parse(rules) as [...Counters, 0, 0, 0, 0, 0, 0, readonly string[]]
  const uses = readUses(cells)
  const taken = fields.map((field, place) => ({
    group: groups[(places[place] ?? 0) - 1] ?? '',
    field,
    cell: uses[place]?.index ?? 0,
  }))
  return { weight: WEIGHT_TEXT.read(weight), taken }
}

/** Reads a request's counts after another round from the reply of an extension. */
export function readExtendedRules({ taken }: HeldRules, weight: string, cells: string): HeldRules {
  const moved = readUses(cells)
  return {
    weight: WEIGHT_TEXT.read(weight),
    taken: taken.map((cell, place) => ({ ...cell, cell: moved[place]?.index ?? cell.cell })),
  }
}

/** The counters that a script found missing, by their places among the claims. */
export const readMissing = ([, , ...places]: Reply, { rules = [] }: Claims): readonly CounterName[] =>
  places.flatMap(place => {
    const claim = rules[Number(place) - 1]
    return claim ? [{ group: claim.group, field: claim.field }] : []
  })

/** The field with the cells of a counter before its newest one. */
export const olderField = (field: string): string => `~${field}`

export const readingOf = (
  { rule: { per } }: RuleClaim,
  newest: string | null | undefined,
  older: string | null | undefined,
  at: EpochMs,
): RuleReading => {
  const cells = [...(older ?? '').split(';').slice(1), ...(newest ? [newest] : [])]
  return readRule(cells.map(readCellText), per, at)
}

function readCellText(text: string): Cell {
  const [index = '', used = '', held = ''] = text.split(',')
  return { index: Number(index), used: Number(used), held: Number(held) }
}

const cellText = ({ index, used, held }: Cell): string => `${index},${used},${held}`

/** The newest cell, and the sum of the earlier ones in its window. */
function newestText(counter: RuleCounter, per: RuleClaim['rule']['per']): string {
  const newest = counter.at(-1)
  if (!newest) return ''
  const from = counter.length === 1 ? 0 : firstCell(per, newest.index)
  const head = `${cellText(newest)},${from}`
  if (!slides(per)) return head
  const { used, held } = readCell(counter, per, newest.index)
  return `${head},${used - newest.used},${held - newest.held}`
}

const olderText = (counter: RuleCounter): string =>
  counter
    .slice(0, -1)
    .map(cell => `;${cellText(cell)}`)
    .join('')
