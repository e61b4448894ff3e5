import type { ShownStanding } from '../../../../src/wire/admin/event.ts'
import { count, usd } from '../../shared/fmt.ts'
import { windowWords } from '../api/accounts.ts'
import type { EndedRequest } from '../api/requests.ts'
import { reasonOf } from '../status.tsx'
import * as text from '../texts/live.tsx'
import { type Row, shareOf } from './board.ts'

interface Column {
  readonly title: string
  /** Classes of its cells: which have room where. */
  readonly kind: string
}

export const COLUMNS: readonly Column[] = [
  { title: text.account, kind: 'name' },
  { title: text.plan, kind: 'plan' },
  { title: text.quota, kind: 'quota' },
  { title: text.rpm, kind: 'num' },
  { title: text.tpm, kind: 'num' },
  { title: text.held, kind: 'num held' },
  { title: text.fullestLimit, kind: 'fullest' },
  { title: text.last, kind: 'last' },
]

/** Writes a row into its cells: texts alone, and only those that changed. */
export type Cells = (row: Row) => void

export function cellsOf(element: HTMLElement): Cells {
  const cells = COLUMNS.map(({ kind }) => made('span', kind, element))
  for (const cell of cells) cell.setAttribute('role', 'gridcell')
  const [name, plan, quota, rpm, tpm, held, fullest, last] = cells
  const label = textIn(made('bdi', '', name))
  const meter = made('span', 'meter', quota)
  meter.ariaHidden = 'true'
  const used = made('i', '', meter)
  const amount = textIn(made('span', '', quota))
  const [planText, rpmText, tpmText, heldText, fullestText, lastText] = [plan, rpm, tpm, held, fullest, last].map(
    textIn,
  )
  return ({ standing, last: request }) => {
    const share = shareOf(standing)
    write(label, standing.label)
    write(planText, standing.plan)
    write(amount, quotaText(standing))
    used.style.width = `${Math.min(100, share * 100)}%`
    meter.className = `meter ${share >= 1 ? 'full' : share >= WARNS ? 'warn' : ''}`
    write(rpmText, ofMost(standing.requests, standing.requests_limit))
    rpm?.classList.toggle('full', isFull(standing.requests, standing.requests_limit))
    write(tpmText, ofMost(standing.tokens, standing.tokens_limit))
    tpm?.classList.toggle('full', isFull(standing.tokens, standing.tokens_limit))
    write(heldText, Number(standing.held_usd) > 0 ? usd(Number(standing.held_usd)) : '–')
    write(fullestText, fullestOf(standing))
    write(lastText, wordsOf(request))
    last?.classList.toggle('bad', (request?.status ?? 0) >= 400)
  }
}

function made(tag: string, kind: string, parent: HTMLElement | undefined): HTMLElement {
  const element = document.createElement(tag)
  element.className = kind
  parent?.append(element)
  return element
}

/** A text that is changed in place: another node for each change would be garbage. */
function textIn(element: HTMLElement | undefined): Text {
  const text = document.createTextNode('')
  element?.append(text)
  return text
}

function write(text: Text | undefined, value: string): void {
  if (text && text.data !== value) text.data = value
}

const WARNS = 0.8

const quotaText = ({ used_usd, limit_usd }: ShownStanding): string =>
  usd(Number(used_usd)) + (limit_usd === null ? '' : ` / ${usd(Number(limit_usd))}`)

const ofMost = (used: number, most: number | null): string =>
  most === null ? count(used) : `${count(used)}/${count(most)}`

const isFull = (used: number, most: number | null): boolean => most !== null && used >= most

/** `84% tokens per day`: the limit of which the most is taken. */
function fullestOf({ limits }: ShownStanding): string {
  let most = 0
  let fullest = ''
  for (const { measure, per, of, model, used, held, limit } of limits) {
    const share = (Number(used) + Number(held)) / Number(limit)
    if (used === null || share <= most) continue
    most = share
    fullest = [measure, per && windowWords(per), of !== 'account' && text.of(of), model && text.on(model)]
      .filter(Boolean)
      .join(' ')
  }
  return fullest && `${Math.floor(most * 100)}% ${fullest}`
}

function wordsOf(request: EndedRequest | undefined): string {
  if (!request) return ''
  const { status, model, path, ms } = request
  const reason = reasonOf(request)
  return `${status} ${reason ?? text.ms(model ?? path, Math.round(ms))}`
}
