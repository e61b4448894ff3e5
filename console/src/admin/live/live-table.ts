import * as text from '../texts/live.tsx'
import type { Row } from './board.ts'
import { type Cells, COLUMNS, cellsOf } from './cells.ts'

/**
 * A table of which only the rows in sight are in the page, written by hand: a component for each of them would cost
 * many times as much at thousands of events a second.
 */
export class LiveTable {
  readonly element: HTMLElement
  readonly #body: HTMLElement
  readonly #slots: Slot[] = []
  readonly #open: (account: string) => void
  #order: readonly string[] = []
  #find: (account: string) => Row | undefined = () => undefined
  #selected: string | undefined

  constructor(open: (account: string) => void) {
    this.#open = open
    this.#body = made('div', { role: 'rowgroup', class: 'live-rows' })
    this.element = made('div', {
      role: 'grid',
      class: 'live box',
      tabindex: '0',
      'aria-label': text.accounts,
      'aria-colcount': String(COLUMNS.length),
      'data-row': '',
    })
    this.element.append(head(), this.#body)
    this.element.addEventListener('keydown', event => this.#press(event))
    this.element.addEventListener('click', event => this.#click(event))
    this.element.addEventListener('scroll', () => this.draw(), { passive: true })
  }

  /** Shows these accounts from now on, in this order, without drawing them. */
  show(order: readonly string[], find: (account: string) => Row | undefined): void {
    this.#find = find
    if (order === this.#order) return
    this.#order = order
    this.element.setAttribute('aria-rowcount', String(order.length + 1))
    this.#body.style.height = `${order.length * ROW_PX}px`
  }

  /** Writes what changed of the rows in sight. */
  draw(): void {
    const first = Math.max(0, Math.floor(this.element.scrollTop / ROW_PX) - SPARE)
    const inSight = Math.ceil(this.element.clientHeight / ROW_PX) + 2 * SPARE
    while (this.#slots.length < Math.min(inSight, this.#order.length)) this.#slots.push(new Slot(this.#body))
    const { length } = this.#slots
    for (let at = first; at < first + length; at++) {
      const account = this.#order[at]
      const row = account === undefined ? undefined : this.#find(account)
      // The slot is the remainder, so a row that stays in sight keeps its slot.
      this.#slots[at % length]?.show(row, at, row !== undefined && account === this.#selected)
    }
    const selected = this.#slots.find(({ isSelected }) => isSelected)
    if (selected) this.element.setAttribute('aria-activedescendant', selected.id)
    else this.element.removeAttribute('aria-activedescendant')
  }

  #press(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const at = this.#order.indexOf(this.#selected ?? '')
    const step = STEPS[event.key]
    if (event.key === 'Enter' && this.#selected !== undefined) this.#open(this.#selected)
    else if (step !== undefined && this.#order.length > 0)
      this.#select(Math.min(Math.max(at + step, 0), this.#order.length - 1))
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  #select(at: number): void {
    this.#selected = this.#order[at]
    const top = at * ROW_PX
    const { scrollTop, clientHeight } = this.element
    if (top < scrollTop) this.element.scrollTop = top
    else if (top + 2 * ROW_PX > scrollTop + clientHeight - ROW_PX)
      this.element.scrollTop = top + 3 * ROW_PX - clientHeight
    this.draw()
  }

  #click({ target }: Event): void {
    const row = target instanceof Element ? target.closest<HTMLElement>('[data-account]') : null
    if (row?.dataset.account) this.#open(row.dataset.account)
  }
}

/** A row in the page; which account it shows changes. */
class Slot {
  readonly id: string
  isSelected = false
  readonly #row: HTMLElement
  readonly #cells: Cells
  #shown: Row | undefined
  #at = -1

  constructor(body: HTMLElement) {
    this.id = `live-${slots++}`
    this.#row = made('div', { role: 'row', class: 'live-row', id: this.id })
    this.#cells = cellsOf(this.#row)
    body.append(this.#row)
  }

  show(row: Row | undefined, at: number, isSelected: boolean): void {
    if (row === this.#shown && at === this.#at && isSelected === this.isSelected) return
    this.#row.hidden = row === undefined
    if (row && at !== this.#at) {
      this.#row.style.transform = `translateY(${at * ROW_PX}px)`
      this.#row.setAttribute('aria-rowindex', String(at + 2))
    }
    if (isSelected !== this.isSelected) this.#row.setAttribute('aria-selected', String(isSelected))
    if (row && row !== this.#shown) {
      this.#row.dataset.account = row.standing.account
      this.#cells(row)
    }
    this.#shown = row
    this.#at = at
    this.isSelected = isSelected
  }
}

let slots = 0

function head(): HTMLElement {
  const row = made('div', { role: 'row', class: 'live-row', 'aria-rowindex': '1' })
  for (const { title, kind } of COLUMNS) {
    const cell = made('span', { role: 'columnheader', class: kind })
    cell.textContent = title
    row.append(cell)
  }
  const group = made('div', { role: 'rowgroup', class: 'live-head' })
  group.append(row)
  return group
}

function made(tag: string, attributes: Readonly<Record<string, string>>): HTMLElement {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
  return element
}

const ROW_PX = 30
/** Rows beyond both ends of what is in sight, so that scrolling shows no gap. */
const SPARE = 6
const STEPS: Readonly<Record<string, number>> = {
  j: 1,
  k: -1,
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: 15,
  PageUp: -15,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
}
