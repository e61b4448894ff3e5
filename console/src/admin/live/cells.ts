import type { ShownStanding } from '../../../../src/wire/admin/event.ts'
import { count, usd } from '../../shared/fmt.ts'
import type { EndedRequest } from '../api/requests.ts'
import { reasonOf } from '../status.tsx'
import { type Row, shareOf } from './board.ts'

interface Column {
  readonly title: string
  /** Classes of its cells: which have room where. */
  readonly kind: string
}

export const COLUMNS: readonly Column[] = [
  { title: 'Account', kind: 'name' },
  { title: 'Plan', kind: 'plan' },
  { title: 'Quota', kind: 'quota' },
  { title: 'RPM', kind: 'num' },
  { title: 'TPM', kind: 'num' },
  { title: 'Held', kind: 'num held' },
  { title: 'Fullest limit', kind: 'fullest' },
  { title: 'Last', kind: 'last' },
]

/** Writes a row into its cells: texts alone, and only those that changed. */
export type Cells = (row: Row) => void

export function cellsOf(element: HTMLElement): Cells {
  const [name, plan, quota, rpm, tpm, held, fullest, last] = COLUMNS.map(({ kind }) => {
    const cell = document.createElement('span')
    cell.setAttribute('role', 'gridcell')
    cell.className = kind
    element.append(cell)
    return cell
  })
  const label = document.createElement('bdi')
  name?.append(label)
  const meter = document.createElement('span')
  meter.className = 'meter'
  meter.ariaHidden = 'true'
  const used = document.createElement('i')
  meter.append(used)
  const amount = document.createElement('span')
  quota?.append(meter, amount)
  return ({ standing, last: request }) => {
    const share = shareOf(standing)
    write(label, standing.label)
    write(plan, standing.plan)
    write(amount, quotaText(standing))
    used.style.width = `${Math.min(100, share * 100)}%`
    meter.className = `meter ${share >= 1 ? 'full' : share >= WARNS ? 'warn' : ''}`
    write(rpm, ofMost(standing.requests, standing.requests_limit))
    write(tpm, ofMost(standing.tokens, standing.tokens_limit))
    write(held, Number(standing.held_usd) > 0 ? usd(Number(standing.held_usd)) : '–')
    write(fullest, fullestOf(standing))
    write(last, lastText(request))
    last?.classList.toggle('bad', (request?.status ?? 0) >= 400)
  }
}

function write(element: HTMLElement | undefined, text: string): void {
  if (element && element.textContent !== text) element.textContent = text
}

const WARNS = 0.8

const quotaText = ({ used_usd, limit_usd }: ShownStanding): string =>
  usd(Number(used_usd)) + (limit_usd === null ? '' : ` / ${usd(Number(limit_usd))}`)

const ofMost = (used: number, most: number | null): string =>
  most === null ? count(used) : `${count(used)}/${count(most)}`

/** `84% tokens per day`: the limit of which the most is taken. */
function fullestOf({ limits }: ShownStanding): string {
  let most = 0
  let text = ''
  for (const { measure, per, of, model, used, held, limit } of limits) {
    const share = (Number(used) + Number(held)) / Number(limit)
    if (used === null || share <= most) continue
    most = share
    text = [measure, per && `per ${per}`, of !== 'account' && `of ${of}`, model && `on ${model}`]
      .filter(Boolean)
      .join(' ')
  }
  return text && `${Math.floor(most * 100)}% ${text}`
}

function lastText(request: EndedRequest | undefined): string {
  if (!request) return ''
  const { status, model, path, ms } = request
  const reason = reasonOf(request)
  return `${status} ${reason ?? `${model ?? path} ${Math.round(ms)} ms`}`
}
