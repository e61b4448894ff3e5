import { COLUMN_RULES, NAMED_RULES, namedRule } from '../../../policy/limits/named-rules.ts'
import type { ShownRequest, ShownStanding } from '../../../wire/admin/event.ts'
import { countedText } from '../../../wire/admin/limit.ts'
import { fullestOf, nameOfUse, shareOfUse } from '../../../wire/admin/limit-use.ts'
import { oneLine } from '../../../wire/printable.ts'
import { usd, usdCell } from '../../kit/usd.ts'

/** `███▌░░░░░░`: what is used of a limit, to an eighth of a cell, and never more; full only when all of it is. */
export function bar(share: number, width: number): string {
  const eighths = Math.floor(Math.min(1, Math.max(0, share)) * width * 8)
  const part = PARTS[eighths % 8] ?? ''
  return ('█'.repeat(eighths / 8) + part).padEnd(width, '░')
}

/** Parts of a cell, in eighths. */
const PARTS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']

/** `██████████ $17.42/20.00`, with a bar of this width, or without one. */
export function quotaCell(standing: ShownStanding, width: number): string {
  const { used_usd, limit_usd } = standing
  const amounts = limit_usd === null ? usdCell(used_usd) : `${usdCell(used_usd)}/${usd(limit_usd)}`
  return width === 0 ? amounts : `${bar(shareOf(standing), width)} ${amounts}`
}

/** A cell for each limit that has a column. */
export const limitCells = (standing: ShownStanding): readonly string[] =>
  COLUMN_RULES.map(({ reading }) => rateCell(standing[reading], standing[`${reading}_limit`]))

/** `84% tokens per day`: the limit of which the most is taken; empty where there are none. */
export function fullestCell({ limits }: ShownStanding): string {
  const found = fullestOf(limits)
  return found ? `${Math.floor(shareOfUse(found) * 100)}% ${oneLine(nameOfUse(found))}` : ''
}

/** Whether an account has limits beside those that a plan writes by name. */
export const hasRules = ({ limits }: ShownStanding): boolean => limits.some(use => !NAMED.has(nameOfUse(use)))

const NAMED: ReadonlySet<string> = new Set(NAMED_RULES.map(({ name }) => countedText(namedRule(name, 1))))

/** `42/120`, `9k/40k` */
export const rateCell = (used: number, limit: number | null): string =>
  limit === null ? short(used) : `${short(used)}/${short(limit)}`

/** `200 212ms svc-core`, `402 quota_exceeded`: numbers first, since the end is what is cut. */
export function lastCell(request: ShownRequest | undefined): string {
  if (!request) return ''
  const { status, code, type, model, interrupted, ms } = request
  const what = code === undefined ? [`${ms}ms`, model ?? request.path] : [type ?? code]
  return oneLine(
    [status, interrupted === undefined ? '' : 'interrupted', ...what].filter(part => part !== '').join(' '),
  )
}

/** `999`, `1.5k`, `118k`, `10M`: never more than there is. */
export function short(count: number): string {
  const [unit, size] = count >= 1e6 ? ['M', 1e6] : ['k', 1e3]
  if (count < 1000) return String(count)
  const tenths = Math.floor((count * 10) / size)
  return `${tenths < 100 ? tenths / 10 : Math.floor(tenths / 10)}${unit}`
}

/** How much of the limit is used: 1 is all of it. */
export function shareOf({ used_usd, limit_usd }: ShownStanding): number {
  const limit = Number(limit_usd ?? 0)
  const used = Number(used_usd)
  if (limit > 0) return used / limit
  return used > 0 ? Number.POSITIVE_INFINITY : 0
}
