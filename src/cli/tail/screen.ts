import type { ShownRequest } from '../../http/event-records.ts'
import { oneLine } from '../one-line.ts'
import { isError, requestLine } from '../request-line.ts'
import type { Row } from './board.ts'
import { clip, lastCell, quotaCell, rateCell, usd } from './cells.ts'
import type { Ui } from './ui.ts'

/** One line of the screen. */
export interface Line {
  readonly text: string
  readonly tone?: 'bold' | 'dim' | 'bad' | 'selected'
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
  /** Of the selected account, newest first, where they are looked at. */
  readonly requests: readonly ShownRequest[]
  /** Of all accounts. */
  readonly accounts: number
  readonly rpm: number
  readonly usdPerHour: number
  readonly dropped: number
  /** What came of the last thing that was done. */
  readonly notice: string
}

/** Title and blank line above, blank line and keys below. */
const FRAME = 5

/** The lines of the screen: as many as clip, none wider than it. */
export function screen(shown: Shown, { columns, rows }: Size): Line[] {
  const room = Math.max(1, rows - 1 - FRAME)
  const body = shown.ui.mode === 'requests' ? requestLines(shown, room) : tableLines(shown, room, columns)
  const lines = [titleOf(shown, columns), { text: '' }, ...body, { text: '' }, footerOf(shown)]
  return lines.map(line => ({ ...line, text: clip(line.text, columns).trimEnd() }))
}

function titleOf({ gateway, ui, accounts, rows, rpm, usdPerHour, dropped }: Shown, columns: number): Line {
  const found = rows.length === accounts ? `${accounts}` : `${rows.length} of ${accounts}`
  const parts = [
    // Where there is no room for all, it is known already.
    ...(columns >= 100 ? [gateway] : []),
    ui.paused ? 'PAUSED' : 'live',
    `${found} accounts`,
    `by ${ui.sort}`,
    `${rpm} rpm`,
    `$${usdPerHour.toFixed(2)}/h`,
    ...(dropped > 0 ? [`${dropped} missed`] : []),
  ]
  const name = 'svcctl quota tail'
  return { text: `${name} ${parts.join(' · ').padStart(columns - name.length - 1)}`, tone: 'bold' }
}

function tableLines({ rows, selected, ui }: Shown, room: number, columns: number): Line[] {
  const widths = columns >= 116 ? WIDE : NARROW
  const [first] = rows
  const until = first ? ` (resets ${DAY.format(Date.parse(first.standing.reset))})` : ''
  const header = lineOf(['ACCOUNT', 'PLAN', `QUOTA${until}`, 'RPM', 'TPM', 'HELD', 'LAST'], widths, ' ')
  const from = firstShown(rows, selected, room)
  const shown = rows.slice(from, from + room).map(row => {
    const isSelected = row.standing.account === selected
    return { text: lineOf(cellsOf(row, widths), widths, isSelected ? '›' : ' '), ...toneOf(row, isSelected) }
  })
  const nothing = ui.filter === '' ? 'No account has a key, and nobody asks.' : `Nothing is called \`${ui.filter}\`.`
  return [{ text: header, tone: 'dim' }, ...(shown.length > 0 ? shown : [{ text: `  ${nothing}` }])]
}

interface Widths {
  readonly cells: readonly number[]
  readonly bar: number
}
const WIDE: Widths = { cells: [20, 12, 26, 9, 11, 9, 28], bar: 10 }
const NARROW: Widths = { cells: [14, 10, 17, 8, 9, 0, 20], bar: 4 }
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })

const lineOf = (cells: readonly string[], { cells: widths }: Widths, mark: string): string => {
  const fitted = cells.flatMap((cell, column) => (widths[column] ? [clip(cell, widths[column])] : []))
  return `${mark} ${fitted.join('  ')}`.trimEnd()
}

const cellsOf = ({ standing, last }: Row, { bar }: Widths): string[] => [
  oneLine(standing.label),
  oneLine(standing.plan),
  quotaCell(standing, bar),
  rateCell(standing.requests, standing.requests_limit),
  rateCell(standing.tokens, standing.tokens_limit),
  standing.held_usd === '0' ? '-' : `$${usd(standing.held_usd)}`,
  lastCell(last),
]

function toneOf({ last }: Row, isSelected: boolean): Pick<Line, 'tone'> {
  if (isSelected) return { tone: 'selected' }
  return last && isError(last) ? { tone: 'bad' } : {}
}

/** The selected row is on the screen. */
function firstShown(rows: readonly Row[], selected: string | undefined, room: number): number {
  const at = rows.findIndex(({ standing }) => standing.account === selected)
  return Math.max(0, at - room + 1)
}

function requestLines({ requests, rows, selected }: Shown, room: number): Line[] {
  const row = rows.find(({ standing }) => standing.account === selected)
  const label = oneLine(row?.standing.label ?? '')
  const lines = requests
    .slice(0, room)
    .map((request): Line => ({ text: `  ${requestLine(request)}`, ...(isError(request) && { tone: 'bad' }) }))
  const heading: Line = { text: `  Requests of ${label} (${selected}), newest first`, tone: 'dim' }
  return [heading, ...(lines.length > 0 ? lines : [{ text: '  None since this was opened.' }])]
}

function footerOf({ ui, notice, rows, selected }: Shown): Line {
  const label = oneLine(rows.find(({ standing }) => standing.account === selected)?.standing.label ?? '')
  switch (ui.mode) {
    case 'filter':
      return { text: `/${ui.filter}▏  ⏎ keep  esc clear` }
    case 'confirm':
      return {
        text: `Revoke the key of ${label} (${selected})? The very next request with it is refused. [y/N]`,
        tone: 'bold',
      }
    case 'requests':
      return { text: 'esc back  q quit', tone: 'dim' }
    case 'table': {
      const filter = ui.filter === '' ? '/ filter' : `/ filter \`${ui.filter}\`  esc all`
      const keys = `↑↓ select  ⏎ requests  ${filter}  s sort  p ${ui.paused ? 'go on' : 'pause'}  r revoke  q quit`
      return { text: notice === '' ? keys : `${notice}   ${keys}`, tone: 'dim' }
    }
  }
}
