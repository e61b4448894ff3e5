import { counted } from '../../../policy/counted.ts'
import { COLUMN_RULES } from '../../../policy/limits/named-rules.ts'
import type { ShownRequest } from '../../../wire/admin/event.ts'
import { oneLine, oneLineInPlace } from '../../../wire/printable.ts'
import { type Column, clip, lineOf, widthOf, widthsIn } from '../../kit/table.ts'
import { usdCell } from '../../kit/usd.ts'
import { requestRow, type Tone, toneOf } from '../../requests/run.ts'
import type { Row } from './board.ts'
import { fullestCell, hasRules, lastCell, limitCells, quotaCell } from './cells.ts'
import type { Ui } from './ui.ts'

/** One line of the screen. */
export interface Line {
  readonly text: string
  readonly tone?: 'bold' | 'dim' | 'selected'
  /** Characters from here to there, in a tone of their own. */
  readonly marked?: { readonly from: number; readonly to: number; readonly tone: Tone }
}

export interface Size {
  readonly columns: number
  readonly rows: number
}

/** Everything that the screen shows. */
export interface Shown {
  readonly gateway: string
  readonly ui: Ui
  /** From top to bottom, after filter and sort. */
  readonly rows: readonly Row[]
  /** The account that is selected. */
  readonly selected: string | undefined
  /** The requests of the selected account, newest first, while they are shown. */
  readonly requests: readonly ShownRequest[]
  /** The count of all accounts. */
  readonly accounts: number
  readonly rpm: number
  readonly usdPerHour: number
  readonly dropped: number
  /** Gateways whose requests are missing. */
  readonly unfollowed: readonly string[]
  /** The outcome of the last action. */
  readonly notice: string
}

/** Title and blank line above, blank line and keys below. */
const FRAME = 5

/** The lines of the screen: at most as many as it has rows, none wider than it. */
export function screenLines(shown: Shown, { columns, rows }: Size): Line[] {
  const room = Math.max(1, rows - 1 - FRAME)
  const body = shown.ui.mode === 'requests' ? requestLines(shown, room, columns) : tableLines(shown, room, columns)
  const lines = [titleOf(shown, columns), { text: '' }, ...body, { text: '' }, footerOf(shown, columns)]
  // The view moves the cursor itself, past the guard of what svcctl prints: what others chose ends here.
  return lines.map(line => ({ ...line, text: clip(oneLineInPlace(line.text), columns).trimEnd() }))
}

function titleOf({ gateway, ui, accounts, rows, rpm, usdPerHour, dropped, unfollowed }: Shown, columns: number): Line {
  const found =
    rows.length === accounts ? counted(accounts, 'account') : `${rows.length} of ${counted(accounts, 'account')}`
  const name = 'svcctl quota tail'
  const missed = [
    ...(dropped > 0 ? [`${dropped} missed`] : []),
    ...(unfollowed.length > 0 ? [`without ${unfollowed.join(', ')}`] : []),
  ]
  const now = [ui.paused ? 'PAUSED' : 'live', found]
  const pace = [`${rpm} rpm`, `${usdCell(String(usdPerHour))}/h`]
  const room = columns - name.length - 1
  // Texts that are known already, or stand below, are left out first.
  const texts = [
    [gateway, ...now, `by ${ui.sort}`, ...pace, ...missed],
    [...now, `by ${ui.sort}`, ...pace, ...missed],
    [...now, ...pace, ...missed],
    [...now, ...missed],
  ].map(parts => parts.join(' · '))
  const text = texts.find(each => widthOf(each) <= room) ?? ''
  return { text: `${name} ${text.padStart(room)}`, tone: 'bold' }
}

function tableLines({ rows, selected, ui }: Shown, room: number, columns: number): Line[] {
  const from = firstShown(rows, selected, room)
  const shown = rows.slice(from, from + room)
  const [first] = rows
  const until = first ? ` (resets ${DAY.format(Date.parse(first.standing.reset))})` : ''
  const { bar, table, widths } = layoutOf(shown, until, columns - MARK)
  const header = `  ${lineOf(
    table,
    table.map(({ title }) => title),
    widths,
  )}`
  const lines = shown.map(row => {
    const isSelected = row.standing.account === selected
    const cells = cellsOf(row, bar)
    const text = `${isSelected ? '›' : ' '} ${lineOf(table, cells, widths)}`
    const tone = row.last && toneOf(row.last)
    // LAST is the last of the line, where it is shown.
    const marked =
      tone && widths.at(-1) ? { from: text.length - lastWidth(cells, widths), to: text.length, tone } : undefined
    return { text, ...(isSelected && { tone: 'selected' as const }), ...(marked && { marked }) }
  })
  const nothing =
    ui.filter === '' ? 'No account has a key yet, and no requests come in.' : `No account matches \`${ui.filter}\`.`
  return [{ text: header, tone: 'dim' }, ...(lines.length > 0 ? lines : [{ text: `  ${nothing}` }])]
}

const lastWidth = (cells: readonly string[], widths: readonly number[]): number =>
  clip(cells.at(-1) ?? '', widths.at(-1) ?? 0).trimEnd().length

/** The width of the mark before each row, which shows whether it is selected. */
const MARK = 2
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
/** Widths of the bar: the widest that leaves room for all columns is taken, and grows where there is more room. */
const BARS = [10, 4, 0] as const
const BAR_MOST = 30
const LABEL = 20

interface Layout {
  readonly bar: number
  readonly table: readonly Column[]
  readonly widths: readonly number[]
}

/** How the columns share the width: numbers whole, then a bar, then texts; the bar takes a part of what is left. */
function layoutOf(rows: readonly Row[], until: string, width: number): Layout {
  const sized = (bar: number): Layout => {
    const table = columnsOf(bar === BARS[0] ? until : '')
    const cells = [table.map(({ title }) => title), ...rows.map(row => cellsOf(row, bar))]
    const natural = table.map((_, index) => Math.max(...cells.map(row => widthOf(row[index] ?? ''))))
    // Steady, or each request would move all columns by the digits of its time.
    const steady = natural.map((each, index) => (index === natural.length - 1 ? Math.ceil(each / 8) * 8 : each))
    return { bar, table, widths: widthsIn(table, steady, width) }
  }
  const tried = BARS.map(sized)
  const [wide] = tried
  const best = wide && hasAll(wide) ? wide : (tried.find(hasMost) ?? sized(0))
  const spare = width - totalOf(best.widths)
  if (spare <= 0 || best.bar !== BARS[0]) return best
  const { table, widths, bar } = withBar(best, Math.min(BAR_MOST - best.bar, Math.floor(spare / 3)))
  const rest = width - totalOf(widths)
  // Short labels leave the other columns where they are as longer ones come.
  const label = Math.max(0, Math.min(rest, LABEL - (widths[0] ?? 0)))
  return { bar, table, widths: widths.map((each, index) => (index === 0 ? each + label : each)) }
}

const hasAll = ({ widths }: Layout): boolean => widths.every(each => each > 0)
/** All columns except reservations, which are seldom anything. */
const hasMost = ({ widths, table }: Layout): boolean =>
  widths.every((each, index) => each > 0 || table[index]?.title === RESERVED)

const withBar = ({ bar, table, widths }: Layout, more: number): Layout => ({
  bar: bar + more,
  table,
  widths: widths.map((each, index) => (table[index]?.title.startsWith('QUOTA') ? each + more : each)),
})

const totalOf = (widths: readonly number[]): number =>
  widths.reduce((sum, each) => (each === 0 ? sum : sum + each + 2), -2)

const RESERVED = 'RESERVED'

const columnsOf = (until: string): readonly Column[] => [
  { title: 'ACCOUNT', least: 13 },
  { title: 'PLAN', least: 12, gives: 2 },
  { title: `QUOTA${until}` },
  // The first one stays, the others give way.
  ...COLUMN_RULES.map(({ column }, index) => (index === 0 ? { title: column } : { title: column, gives: 3 })),
  { title: RESERVED, gives: 1 },
  { title: 'LAST', least: 12, gives: 4 },
]

const cellsOf = ({ standing, last }: Row, bar: number): string[] => [
  oneLine(standing.label),
  oneLine(standing.plan),
  quotaCell(standing, bar),
  ...limitCells(standing),
  standing.held_usd === '0' ? '-' : usdCell(standing.held_usd),
  lastCell(last),
]

/** The selected row is on the screen. */
function firstShown(rows: readonly Row[], selected: string | undefined, room: number): number {
  const at = rows.findIndex(({ standing }) => standing.account === selected)
  return Math.max(0, at - room + 1)
}

function requestLines({ requests, rows, selected }: Shown, room: number, columns: number): Line[] {
  const row = rows.find(({ standing }) => standing.account === selected)
  const label = oneLine(row?.standing.label ?? '')
  const lines = requests.slice(0, room).map((request): Line => {
    const { text, status } = requestRow(request, columns - MARK)
    const tone = toneOf(request)
    const from = MARK + status
    return { text: `  ${text}`, ...(tone && { marked: { from, to: from + 3, tone } }) }
  })
  const fullest = row && hasRules(row.standing) ? ` · fullest limit: ${fullestCell(row.standing)}` : ''
  const heading: Line = { text: `  Requests of ${label} (${selected}), newest first${fullest}`, tone: 'dim' }
  return [heading, ...(lines.length > 0 ? lines : [{ text: '  None since this view was opened.' }])]
}

function footerOf({ ui, notice, rows, selected }: Shown, columns: number): Line {
  const label = oneLine(rows.find(({ standing }) => standing.account === selected)?.standing.label ?? '')
  switch (ui.mode) {
    case 'filter':
      return { text: `/${ui.filter}▏  ⏎ keep  esc clear` }
    case 'confirm':
      return { text: confirmText(label, selected ?? '', columns), tone: 'bold' }
    case 'requests':
      return { text: 'q quit  esc back', tone: 'dim' }
    case 'table': {
      const filter = ui.filter === '' ? '/ filter' : `/ filter \`${ui.filter}\`  esc all`
      const pause = ui.paused ? 'p go on' : 'p pause'
      const hints = ['q quit', '↑↓ select', '⏎ requests', filter, 's sort', pause, 'r revoke']
      const room = notice === '' ? columns : columns - widthOf(notice) - 3
      const keys = fitting(hints, room)
      return notice === '' ? { text: keys, tone: 'dim' } : { text: `${notice}   ${keys}` }
    }
  }
}

/** Hints in their order. In a narrow window those that can be done without go whole, the arrows first; none is cut. */
function fitting(hints: readonly string[], room: number): string {
  const kept = [...hints]
  for (const least of ['↑↓', 's ', 'p ', '⏎', '/', 'r ']) {
    if (widthOf(kept.join('  ')) <= room) break
    const at = kept.findIndex(hint => hint.startsWith(least))
    if (at >= 0) kept.splice(at, 1)
  }
  return kept.join('  ')
}

/** The owner of the key and how to answer always show; the consequence shows only if there is room for it. */
function confirmText(label: string, id: string, columns: number): string {
  const answer = '? [y/N]'
  const texts = [
    `Revoke the key of ${label} (${id})? The next request with it is refused. [y/N]`,
    `Revoke the key of ${label} (${id})${answer}`,
    `Revoke the key of ${label}${answer}`,
  ]
  const begin = 'Revoke the key of '
  const cut = begin + clip(label, Math.max(1, columns - widthOf(begin + answer))) + answer
  return texts.find(text => widthOf(text) <= columns) ?? cut
}
