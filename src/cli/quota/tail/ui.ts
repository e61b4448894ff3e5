import { type Arrangement, SORTS } from './board.ts'

/** The operator's view. */
export interface Ui extends Arrangement {
  /** `filter` is being written; `confirm` waits for a yes; `requests` are those of the selected account. */
  readonly mode: 'table' | 'filter' | 'confirm' | 'requests'
  /** An account; the first row without it. */
  readonly selected?: string
  readonly paused: boolean
}

export const FIRST: Ui = { mode: 'table', sort: 'recent', filter: '', paused: false }

/** A key with a name, or the character that was typed. */
export type Press =
  | 'up'
  | 'down'
  | 'pageUp'
  | 'pageDown'
  | 'enter'
  | 'escape'
  | 'backspace'
  | { readonly typed: string }

/** The effect of a key, besides the change of the view. */
export type Effect = { readonly kind: 'quit' } | { readonly kind: 'revoke'; readonly account: string }

export interface Pressed {
  readonly ui: Ui
  readonly effect?: Effect
}

const PAGE = 10

/** Handles a key, where `accounts` are the rows from top to bottom. */
export function press(ui: Ui, key: Press, accounts: readonly string[]): Pressed {
  if (ui.mode === 'filter') return { ui: typing(ui, key) }
  if (ui.mode === 'confirm') return confirming(ui, key)
  if (typeof key !== 'string') return command(ui, key.typed, accounts)
  switch (key) {
    case 'up':
      return { ui: move(ui, -1, accounts) }
    case 'down':
      return { ui: move(ui, 1, accounts) }
    case 'pageUp':
      return { ui: move(ui, -PAGE, accounts) }
    case 'pageDown':
      return { ui: move(ui, PAGE, accounts) }
    case 'enter':
      return { ui: ui.mode === 'table' ? onto(ui, 'requests', accounts) : back(ui) }
    case 'escape':
      return { ui: ui.mode === 'requests' ? back(ui) : { ...ui, filter: '' } }
    case 'backspace':
      return { ui: back(ui) }
  }
}

/** The account that is selected, which the filter may hide. */
export const selectedOf = ({ selected }: Ui, accounts: readonly string[]): string | undefined =>
  selected !== undefined && accounts.includes(selected) ? selected : accounts[0]

function command(ui: Ui, typed: string, accounts: readonly string[]): Pressed {
  switch (typed) {
    case 'q':
      return { ui, effect: { kind: 'quit' } }
    case '/':
      return { ui: { ...ui, mode: 'filter' } }
    case 's':
      return { ui: { ...ui, sort: SORTS[(SORTS.indexOf(ui.sort) + 1) % SORTS.length] ?? ui.sort } }
    case 'p':
      return { ui: { ...ui, paused: !ui.paused } }
    case 'r':
      return { ui: onto(ui, 'confirm', accounts) }
    default:
      return { ui }
  }
}

function typing(ui: Ui, key: Press): Ui {
  if (key === 'enter') return back(ui)
  if (key === 'escape') return { ...back(ui), filter: '' }
  if (key === 'backspace') return { ...ui, filter: ui.filter.slice(0, -1) }
  return typeof key === 'string' ? ui : { ...ui, filter: ui.filter + key.typed }
}

/** Anything but a yes is a no. */
function confirming(ui: Ui, key: Press): Pressed {
  const isYes = typeof key !== 'string' && /^y$/i.test(key.typed)
  if (!isYes || ui.selected === undefined) return { ui: back(ui) }
  return { ui: back(ui), effect: { kind: 'revoke', account: ui.selected } }
}

const back = (ui: Ui): Ui => ({ ...ui, mode: 'table' })

/** Looks at the account that is selected, and stays with it wherever its row moves. */
function onto(ui: Ui, mode: Ui['mode'], accounts: readonly string[]): Ui {
  const selected = selectedOf(ui, accounts)
  return selected === undefined ? ui : { ...ui, mode, selected }
}

function move(ui: Ui, by: number, accounts: readonly string[]): Ui {
  const from = Math.max(0, accounts.indexOf(ui.selected ?? ''))
  const selected = accounts[Math.min(accounts.length - 1, Math.max(0, from + by))]
  return selected === undefined ? ui : { ...ui, selected }
}
