import type { ShownRequest, ShownStanding } from '../../http/event-records.ts'
import { oneLine } from '../one-line.ts'
import { shareOf } from './arrange.ts'

/** `████░░░░░░`: what is used of a limit; full only when all of it is, and empty only when nothing is. */
export function bar(share: number, width: number): string {
  if (share >= 1) return '█'.repeat(width)
  const filled = share <= 0 ? 0 : Math.min(width - 1, Math.max(1, Math.round(share * width)))
  return '█'.repeat(filled) + '░'.repeat(width - filled)
}

/** `██████████ $17.42/20.00`, with a bar of this width. */
export function quotaCell(standing: ShownStanding, width: number): string {
  const { used_usd, limit_usd } = standing
  const amounts = limit_usd === null ? `$${usd(used_usd)}` : `$${usd(used_usd)}/${usd(limit_usd)}`
  return `${bar(shareOf(standing), width)} ${amounts}`
}

/** `42/120`, `9k/40k` */
export const rateCell = (used: number, limit: number | null): string =>
  limit === null ? short(used) : `${short(used)}/${short(limit)}`

/** `200 svc-core 212ms`, `402 quota_exceeded` */
export function lastCell(request: ShownRequest | undefined): string {
  if (!request) return ''
  const { status, code, type, model, interrupted, ms } = request
  const what = code === undefined ? [model ?? request.path, `${ms}ms`] : [type ?? code]
  return oneLine(
    [status, ...what, interrupted === undefined ? '' : 'interrupted'].filter(part => part !== '').join(' '),
  )
}

/** Two digits behind the point, and more where that would say nothing: `0.000039`. */
export function usd(text: string): string {
  const amount = Number(text)
  return amount === 0 || Math.abs(amount) >= 0.005 ? amount.toFixed(2) : text
}

/** `999`, `1.5k`, `118k`, `10M`: never more than there is. */
export function short(count: number): string {
  const [unit, size] = count >= 1e6 ? ['M', 1e6] : ['k', 1e3]
  if (count < 1000) return String(count)
  const tenths = Math.floor((count * 10) / size)
  return `${tenths < 100 ? tenths / 10 : Math.floor(tenths / 10)}${unit}`
}

/** Cut or filled up to a width, in characters. */
export function clip(text: string, width: number): string {
  const characters = [...text]
  if (characters.length <= width) return text + ' '.repeat(width - characters.length)
  return width <= 1 ? '…'.slice(0, width) : `${characters.slice(0, width - 1).join('')}…`
}
